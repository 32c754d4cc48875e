// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/json.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens::json {
namespace {

using testing::HasSubstr;
using testing::StrEq;

constexpr double kInf = std::numeric_limits<double>::infinity();

enum class Mode { fast, exact, new_ };
BOOST_DESCRIBE_ENUM(Mode, fast, exact, new_)

struct Point {
  int x = 1;
  float scale = 0.5F;
  bool operator==(const Point&) const = default;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, scale))

struct Document : Point {
  std::string name = "none";
  Mode mode = Mode::fast;
  bool on = false;
  std::uint8_t small = 0;
  std::optional<double> maybe;
  std::vector<Point> points;
  std::map<std::string, Point> by_name;
  std::array<std::int64_t, 2> pair = {1, 2};
  std::array<bool, 2> bits = {};
  Value extra;
  bool operator==(const Document&) const = default;
};
BOOST_DESCRIBE_STRUCT(Document, (Point),
                      (name, mode, on, small, maybe, points, by_name, pair, bits, extra))

/// The sentence of the Errc::bad_input that the action throws.
template <class Action>
std::string failure(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

template <class T>
std::string decode_failure(std::string_view text) {
  return failure([&] { (void)decode<T>(parse(text, "f"), "f"); });
}

template <class T>
T through_text(const T& value) {
  return decode<T>(parse(dump(encode(value)), "text"), "text");
}

TEST(Json, CarriesAStructThroughTextUnchanged) {
  Document document;
  document.x = -7;
  document.name = "a \"quoted\" \\ name\n\t\x01 \xE5\xB1\x82";
  document.mode = Mode::exact;
  document.on = true;
  document.small = 255;
  document.maybe = 0.1;
  document.points = {{1, 0.1F}, {2, -3e-9F}};
  document.by_name = {{"b", {}}, {"a/:'", {3, 4}}};
  document.pair = {std::numeric_limits<std::int64_t>::min(),
                   std::numeric_limits<std::int64_t>::max()};
  document.bits = {true, false};
  document.extra = {{"k", {1, "two", nullptr}}};
  EXPECT_EQ(through_text(document), document);
}

TEST(Json, PrintsFieldsInTheirOrderTheBasesFirst) {
  EXPECT_EQ(dump(encode(Document{})), R"({
  "x": 1,
  "scale": 0.5,
  "name": "none",
  "mode": "fast",
  "on": false,
  "small": 0,
  "maybe": null,
  "points": [],
  "by_name": {},
  "pair": [1, 2],
  "bits": [false, false],
  "extra": null
}
)");
}

TEST(Json, PutsOnOneLineWhatFitsThere) {
  // with its comma, the line of "fits" has 100 columns, and that of "long" would have 101
  const Value value = {{"params", {{"scale", 0.5}, {"names", {"a", "b"}}}},
                       {"fits", {{"name", std::string(77, 'x')}}},
                       {"long", {{"name", std::string(78, 'x')}}},
                       {"none", boost::json::object()}};
  EXPECT_EQ(dump(value), R"({
  "params": {"scale": 0.5, "names": ["a", "b"]},
  "fits": {"name": ")" + std::string(77, 'x') +
                             R"("},
  "long": {
    "name": ")" + std::string(78, 'x') +
                             R"("
  },
  "none": {}
}
)");
}

TEST(Json, PutsArraysOfNumbersOnOneLineHoweverLong) {
  std::vector<double> many(100, 1.5);
  const std::string text = dump(encode(many));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_EQ(dump({{"n", {1, 2.0, "nan", nullptr}}}), R"({
  "n": [1, 2.0, "nan", null]
}
)");
}

TEST(Json, PutsEachRowOfATableOnOneLine) {
  const std::string word(60, 'x');
  const auto rows = [&](std::size_t count) {
    boost::json::array list(count, Value{{"a", word}, {"b", {{"c", word}, {"d", {1, 2}}}}});
    return dump(Value{{"rows", std::move(list)}});
  };
  const std::string row = "    {\"a\":\"" + word + "\",\"b\":{\"c\":\"" + word + "\",\"d\":[1,2]}}";
  std::string expected = "{\n  \"rows\": [\n";
  for (int i = 0; i < 17; ++i) expected += row + (i < 16 ? ",\n" : "\n");
  EXPECT_EQ(rows(17), expected + "  ]\n}\n");
  EXPECT_THAT(rows(16), HasSubstr("    {\n      \"a\": \""));
}

TEST(Json, PrintsFloatsAsShortAsTheyReadBack) {
  EXPECT_EQ(dump(encode(0.1F)), "0.1\n");
  EXPECT_EQ(dump(encode(16777216.0F)), "16777216.0\n");
  EXPECT_EQ(dump(encode(1e-45F)), "1e-45\n");
  EXPECT_EQ(dump(encode(0.1)), "0.1\n");
  EXPECT_EQ(dump(encode(-0.0)), "-0.0\n");
}

TEST(Json, SpellsWhatIsNotFinite) {
  EXPECT_EQ(dump(encode(std::vector<double>{std::nan(""), kInf, -kInf})),
            "[\"nan\", \"inf\", \"-inf\"]\n");
  EXPECT_TRUE(std::isnan(through_text(std::nan(""))));
  EXPECT_EQ(through_text(-std::numeric_limits<float>::infinity()),
            -std::numeric_limits<float>::infinity());
}

RC_GTEST_PROP(Json, CarriesEveryDoubleThroughText, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(std::bit_cast<std::uint64_t>(through_text(value)) == bits);
}

RC_GTEST_PROP(Json, CarriesEveryFloatThroughText, (std::uint32_t bits)) {
  const auto value = std::bit_cast<float>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(std::bit_cast<std::uint32_t>(through_text(value)) == bits);
}

RC_GTEST_PROP(Json, PrintsTextThatReadsWhateverBytesAStringHolds, (const std::string& text)) {
  const std::string once = through_text(text);
  RC_ASSERT(through_text(once) == once);
}

TEST(Json, ReadsDoublesToTheLastBit) {  // Boost 1.81 alone is one unit off here
  for (const char* text :
       {"0.1", "5.708990770823839e-60", "8.5e-5", "123456789012345678901234567890",
        "2.2250738585072011e-308", "9007199254740993.0", "1.7976931348623157e308"}) {
    EXPECT_EQ(parse(text, "f").as_double(), std::strtod(text, nullptr)) << text;
    EXPECT_EQ(parse(std::string(text) + " ", "f").as_double(), std::strtod(text, nullptr)) << text;
  }
}

TEST(Json, ReadsTinyNumbersAsZeroAndRefusesHugeOnes) {
  EXPECT_EQ(parse("1e-999", "f").as_double(), 0.0);
  EXPECT_EQ(parse("0." + std::string(400, '0') + "1", "f").as_double(), 0.0);
  EXPECT_THAT(failure([] { (void)parse("[1, 1e999]", "f"); }), HasSubstr("a number is too large"));
  for (const char* exponent : {"", ".5", "e5", "e-5"}) {
    const std::string huge = std::string(400, '9') + exponent;
    EXPECT_THAT(failure([&] { (void)parse(huge, "f"); }), HasSubstr("a number is too large"));
  }
  EXPECT_EQ(parse("-0." + std::string(400, '0') + "1e9", "f").as_double(), 0.0);
}

TEST(Json, KeepsDefaultsOfMissingFieldsAndIgnoresUnknownKeys) {
  EXPECT_EQ(decode<Document>(parse(R"({"new": [1]})", "f"), "f"), Document{});
}

TEST(Json, TakesTheLastOfRepeatedKeys) {
  EXPECT_EQ(decode<Point>(parse(R"({"x": 1, "x": 2})", "f"), "f").x, 2);
}

TEST(Json, NamesThePathOfAWrongType) {
  EXPECT_THAT(decode_failure<Document>(R"({"points": [{}, {"scale": "wide"}]})"),
              StrEq("f: points[1].scale: expected a number"));
  EXPECT_THAT(decode_failure<Document>(R"({"by_name": {"k\n": {"x": 1.5}}})"),
              StrEq("f: by_name.k?.x: expected an integer"));
  EXPECT_THAT(decode_failure<Document>("[]"), StrEq("f: expected an object"));
  EXPECT_THAT(decode_failure<std::vector<int>>("{}"), StrEq("f: expected an array"));
  EXPECT_THAT(decode_failure<std::vector<std::vector<int>>>("[[1], [1, true]]"),
              StrEq("f: [1][1]: expected an integer"));
  EXPECT_THAT(decode_failure<Document>(R"({"on": 1})"), StrEq("f: on: expected true or false"));
  EXPECT_THAT(decode_failure<Document>(R"({"name": 1})"), StrEq("f: name: expected a string"));
  EXPECT_THAT(decode_failure<Document>(R"({"pair": [1]})"),
              StrEq("f: pair: expected an array of 2 elements"));
}

TEST(Json, GivesWordsThatCppKeepsForItselfWithoutTheirUnderscore) {
  EXPECT_EQ(json::encode(Mode::new_), json::Value("new"));
  EXPECT_EQ(json::decode<Mode>("new", "here"), Mode::new_);
}

TEST(Json, ListsTheNamesOfAnEnumThatDoesNotKnowTheWord) {
  EXPECT_THAT(decode_failure<Mode>(R"("fsat")"),
              StrEq("f: 'fsat' is unknown; expected one of fast, exact, new"));
  EXPECT_THAT(decode_failure<Mode>("1"), StrEq("f: expected one of fast, exact, new"));
}

TEST(Json, ChecksTheRangeOfIntegers) {
  EXPECT_EQ(decode<std::uint64_t>(parse("18446744073709551615", "f"), "f"), ~std::uint64_t{0});
  EXPECT_EQ(decode<std::int8_t>(parse("-128", "f"), "f"), -128);
  EXPECT_EQ(decode<int>(parse("1e3", "f"), "f"), 1000);
  EXPECT_THAT(decode_failure<std::int8_t>("-129"), StrEq("f: -129 is outside -128..127"));
  EXPECT_THAT(decode_failure<std::uint8_t>("-1"), StrEq("f: -1 is outside 0..255"));
  EXPECT_THAT(decode_failure<std::uint8_t>("256"), StrEq("f: 256 is outside 0..255"));
  EXPECT_THAT(decode_failure<std::int64_t>("9223372036854775808"), HasSubstr("is outside"));
  EXPECT_THAT(decode_failure<std::uint64_t>("18446744073709551616"),
              HasSubstr("expected an integer"));
  EXPECT_THAT(decode_failure<int>("\"nan\""), StrEq("f: expected an integer"));
}

TEST(Json, RefusesADoubleThatNoFloatHolds) {
  EXPECT_THAT(decode_failure<float>("1e39"), StrEq("f: 1e+39 is too large for a 32-bit float"));
}

TEST(Json, NamesLineAndColumnOfASyntaxError) {
  EXPECT_THAT(failure([] { (void)parse("{\n  \"a\": tru\n}", "recipe.json"); }),
              HasSubstr("recipe.json: line 2, column 8: not valid JSON: "));
  EXPECT_THAT(failure([] { (void)parse("", "f"); }), HasSubstr("it ends too early"));
  EXPECT_THAT(failure([] { (void)parse("{\"a\": 1", "f"); }), HasSubstr("it ends too early"));
  EXPECT_THAT(failure([] { (void)parse("1 2", "f"); }), HasSubstr("something follows its end"));
}

TEST(Json, IsStrict) {
  for (const char* text : {"{a: 1}", "[1,]", "// c\n1", "NaN", "'a'", "01", "+1", "\"\xFF\"",
                           "\"\n\"", "\"\\ud800\"", "1.",
                           "\xEF\xBB\xBF"
                           "1"}) {
    EXPECT_THROW((void)parse(text, "f"), Error) << text;
  }
}

TEST(Json, ReadsAndWritesSixtyFourLevelsAndNoMore) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const Value deepest = parse(nested(64), "f");
  EXPECT_EQ(parse(dump(deepest), "f"), deepest);
  EXPECT_THAT(failure([&] { (void)parse(nested(65), "f"); }), HasSubstr("more than 64 levels"));
  EXPECT_THROW((void)parse(std::string(1'000'000, '['), "f"), Error);
  EXPECT_THROW((void)dump(Value(boost::json::array({deepest}))), Error);
}

TEST(Json, MarksBytesThatAreNotUtf8) {
  EXPECT_EQ(dump(Value("a\xFF")), "\"a\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace quantlens::json
