// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(TableNumber, ShowsWhatThePredecessorsTablesShow) {
  EXPECT_EQ(table_number(0.0), "0.0");
  EXPECT_EQ(table_number(0.0003), "0.0003");
  EXPECT_EQ(table_number(15.478519), "15.47852");
  EXPECT_EQ(table_number(-8.6278), "-8.6278");
  EXPECT_EQ(table_number(9.98525e-05), "9.98525e-05");
  EXPECT_EQ(table_number(9.9855e-05), "9.98550e-05");
  EXPECT_EQ(table_number(1.73184e-07), "1.73184e-07");
}

TEST(TableNumber, SwitchesToExponentsWherePythonDoes) {
  EXPECT_EQ(table_number(0.0001), "0.0001");
  EXPECT_EQ(table_number(0.00009999), "9.99900e-05");
  EXPECT_EQ(table_number(1e15), "1000000000000000.0");
  EXPECT_EQ(table_number(1e16), "1.00000e+16");
  EXPECT_EQ(table_number(-3.4028234663852886e38), "-3.40282e+38");
  EXPECT_EQ(table_number(5e-324), "4.94066e-324");
}

TEST(TableNumber, ShowsOddValues) {
  EXPECT_EQ(table_number(-0.0), "-0.0");
  EXPECT_EQ(table_number(100), "100.0");
  EXPECT_EQ(table_number(0.999996), "1.0");
  EXPECT_EQ(table_number(kNan), "nan");
  EXPECT_EQ(table_number(-kInf), "-inf");
}

TEST(ExactNumber, AlwaysHasAPointOrAnExponent) {
  EXPECT_EQ(exact_number(1), "1.0");
  EXPECT_EQ(exact_number(2.5e-7), "2.5e-07");
  EXPECT_EQ(exact_number(1e300), "1e+300");
  EXPECT_EQ(exact_number(0.1), "0.1");
  EXPECT_EQ(exact_number(-0.0), "-0.0");
}

TEST(ExactNumber, SpellsWhatIsNotFinite) {
  EXPECT_EQ(exact_number(std::copysign(kNan, -1)), "nan");
  EXPECT_EQ(exact_number(kInf), "inf");
  EXPECT_EQ(exact_number(-kInf), "-inf");
}

RC_GTEST_PROP(ExactNumber, ReadsBackAsTheSameDouble, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const std::string text = exact_number(value);
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  RC_ASSERT(std::bit_cast<std::uint64_t>(read) == bits);
}

TEST(HumanBytes, UsesDecimalUnitsWithOneDecimal) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(76'400'000), "76.4 MB");
  EXPECT_EQ(human_bytes(2'100'000'000), "2.1 GB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
}

TEST(HumanBytes, NeverShowsAThousandOfAUnit) {
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'950), "1.0 MB");
}

TEST(NearestNames, AreSortedByDistanceThenByPosition) {
  const std::vector<std::string> names = {"quantile", "quantized", "diagnose", "quantize"};
  EXPECT_THAT(nearest_names("quantize", names), ElementsAre("quantize", "quantile", "quantized"));
  EXPECT_THAT(nearest_names("quantize", names, 1), ElementsAre("quantize"));
}

TEST(NearestNames, CountASwapOfNeighboursAsOneEdit) {
  const std::vector<std::string> names = {"axx", "acb"};
  EXPECT_THAT(nearest_names("abc", names), ElementsAre("acb"));
}

TEST(NearestNames, LeaveOutWhatIsFurtherThanHalfTheWord) {
  const std::vector<std::string> names = {"abzz", "azzz", "", "abcdefgh"};
  EXPECT_THAT(nearest_names("abcd", names), ElementsAre("abzz"));
  EXPECT_THAT(nearest_names("", names), ElementsAre(""));
}

TEST(NearestNames, DoNotSpendTimeOnEndlessNames) {
  const std::vector<std::string> names(100, std::string(100'000, 'a'));
  EXPECT_THAT(nearest_names(std::string(99'999, 'a'), names), IsEmpty());
}

TEST(DidYouMean, AsksAQuestionOrIsSilent) {
  const std::vector<std::string> names = {"minmax", "min\nmix"};
  EXPECT_EQ(did_you_mean("minmux", names), "did you mean 'minmax', 'min?mix'?");
  EXPECT_EQ(did_you_mean("entropy", names), "");
}

TEST(Printable, KeepsTextAndLosesControls) {
  EXPECT_EQ(printable("conv/\xC3\xA4 \xE5\xB1\x82 \xF0\x9F\x98\x80"),
            "conv/\xC3\xA4 \xE5\xB1\x82 \xF0\x9F\x98\x80");
  EXPECT_EQ(printable(std::string_view("a\0b\x1b[0m\n\x7f", 9)), "a?b?[0m??");
  EXPECT_EQ(printable("c1 \xC2\x9B bidi \xE2\x80\xAE"), "c1 ? bidi ?");
}

TEST(Printable, KeepsTheJoinersOfScriptsThatNeedThem) {
  EXPECT_EQ(printable("\xE2\x80\x8C \xE2\x80\x8D"), "\xE2\x80\x8C \xE2\x80\x8D");
}

TEST(Printable, MarksEveryByteThatIsNotUtf8) {
  EXPECT_EQ(printable("\xFF\xC3"), "??");            // never a lead; cut off
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong '/'
  EXPECT_EQ(printable("\xE0\x80\xAF"), "???");       // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xE5\xB1"
                      "a"),
            "??a");  // cut off before a letter
}

RC_GTEST_PROP(Printable, IsStableAndAlwaysValid, (const std::string& text)) {
  const std::string once = printable(text);
  RC_ASSERT(printable(once) == once);
  RC_ASSERT(valid_utf8(once) == once);
}

TEST(ValidUtf8, ReplacesBadBytesAndKeepsControls) {
  EXPECT_EQ(valid_utf8("a\n\xFF"), "a\n\xEF\xBF\xBD");
}

TEST(DisplayWidth, CountsTerminalColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xC3\xA4"), 1U);          // a-umlaut, composed
  EXPECT_EQ(display_width("a\xCC\x88"), 1U);         // and as a letter with a mark
  EXPECT_EQ(display_width("\xE5\xB1\x82"), 2U);      // CJK
  EXPECT_EQ(display_width("\xF0\x9F\x98\x80"), 2U);  // emoji
  EXPECT_EQ(display_width("\xFF\xFF"), 2U);          // shown as ??
}

TEST(Sha256, AgreesWithThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace quantlens
