// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/words.h"

#include <array>

#include <gmock/gmock.h>

#include "quantlens/base/json.h"

namespace quantlens {
namespace {

BOOST_DEFINE_ENUM_CLASS(Choice, auto_, per_channel, int8)

enum class Long { first, second };
constexpr std::array<std::string_view, 2> kLong = {"1st", "2nd"};

}  // namespace

template <>
struct EnumWords<Long> {
  static std::span<const std::string_view> get() { return kLong; }
};

namespace {

using testing::ElementsAre;

TEST(Words, AreTheEnumeratorsWithoutALastUnderscore) {
  EXPECT_EQ(word(Choice::auto_), "auto");
  EXPECT_EQ(word(Choice::per_channel), "per_channel");
  EXPECT_THAT(words<Choice>(), ElementsAre("auto", "per_channel", "int8"));
  EXPECT_EQ(word(static_cast<Choice>(7)), "");
}

TEST(Words, AreReadBack) {
  EXPECT_EQ(from_word<Choice>("auto"), Choice::auto_);
  EXPECT_EQ(from_word<Choice>("int8"), Choice::int8);
  for (const char* none : {"auto_", "", "Int8", "int8 "}) {
    EXPECT_EQ(from_word<Choice>(none), std::nullopt) << none;
  }
}

TEST(Words, OfALongEnumStandInATable) {
  EXPECT_EQ(word(Long::second), "2nd");
  EXPECT_EQ(word(static_cast<Long>(2)), "");
  EXPECT_EQ(from_word<Long>("1st"), Long::first);
  EXPECT_EQ(from_word<Long>("first"), std::nullopt);
  EXPECT_EQ(json::encode(Long::first), json::Value("1st"));
  EXPECT_EQ(json::decode<Long>(json::Value("2nd"), "here"), Long::second);
}

}  // namespace
}  // namespace quantlens
