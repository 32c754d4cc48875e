// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/events.h"

#include <array>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/profiling/import/shapes.h"
#include "quantlens/profiling/testing/imported.h"

namespace quantlens::imports {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 1> kArgs = {"op"};

struct ReadAll {
  std::vector<std::string> names;
  std::vector<std::string> ops;
  bool cut_off = false;
  std::uint64_t broken = 0;
};

ReadAll read_all(const std::string& text) {
  std::istringstream in(text);
  NoProgress progress;
  EventReader reader(in, progress, kArgs);
  ReadAll all;
  for (Event event; reader.next(event);) {
    all.names.emplace_back(event.name);
    all.ops.emplace_back(event.args[0]);
  }
  all.cut_off = reader.cut_off();
  all.broken = reader.broken();
  return all;
}

TEST(EventReader, ReadsAListAndAListInAnObject) {
  const std::string list = R"([ {"name" : "a","args" : {"op":"x","n":[{}]}} , {"name":"b"}])";
  for (const std::string& text :
       {list,
        R"({"displayTimeUnit":"ns","other":{"traceEvents":[1]},"traceEvents":)" + list + "}"}) {
    const ReadAll all = read_all(text);
    EXPECT_THAT(all.names, ElementsAre("a", "b"));
    EXPECT_THAT(all.ops, ElementsAre("x", ""));
    EXPECT_FALSE(all.cut_off);
    EXPECT_EQ(all.broken, 0U);
  }
}

TEST(EventReader, ReadsEventsThatLieAcrossItsBuffersEnd) {
  std::string text = "[";
  const std::size_t count = 40000;
  for (std::size_t i = 0; i < count; ++i) {
    text +=
        fmt::format("{}{{\"name\":\"event {}\",\"args\":{{\"op\":\"{}\"}}}}", i ? "," : "", i, i);
  }
  ASSERT_GT(text.size(), EventReader::kMostBytes);
  const ReadAll all = read_all(text + "]");
  ASSERT_EQ(all.names.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(all.ops[i], std::to_string(i));
}

TEST(EventReader, SurvivesAnything) {
  for (const std::string_view text :
       {"", "[", "{", "[]", "{}", "null", "[null]", "[[]]", "[{]", "[{\"name\":}]", "{\"a\":1",
        "{\"traceEvents\":5}", "{\"traceEvents\":[", "[{\"\\", "[{\"name\":\"\\u12", "[,,,]"}) {
    EXPECT_THAT(read_all(std::string(text)).names, IsEmpty()) << text;
  }
}

TEST(EventReader, StopsWhereTheUserAsksIt) {
  class Stopped final : public Progress {
   public:
    void begin(std::string_view, std::optional<std::uint64_t>) override {}
    void advance(std::uint64_t) override {}
    void end() override {}
    void note(std::string_view) override {}
    bool stop_requested() const override { return true; }
  } stopped;
  std::istringstream in("[{}]");
  EventReader reader(in, stopped, kArgs);
  Event event;
  EXPECT_THROW(reader.next(event), Error);
}

TEST(Decoded, TurnsEscapesIntoLetters) {
  EXPECT_EQ(decoded(R"(a\"b\\c\/d\n)"), "a\"b\\c/d\n");
  EXPECT_EQ(decoded(R"(\u00e9 \u20ac \ud83d\ude00)"), "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(decoded(R"(C:\models\x)"), R"(C:\models\x)") << "unknown escapes stay";
  EXPECT_EQ(decoded("\xFF"), "\xEF\xBF\xBD");
}

TEST(TypesAndShapes, AreThoseOfTheRuntime) {
  EXPECT_THAT(types_and_shapes(R"([{"float":[1,3, 8]},{"int64":[]},{},{"uint8":[2]}])"),
              ElementsAre("float32[1,3,8]", "int64[]", "", "uint8[2]"));
  EXPECT_THAT(types_and_shapes(R"([{"float")"), IsEmpty());
  EXPECT_THAT(types_and_shapes(""), IsEmpty());
}

}  // namespace
}  // namespace quantlens::imports
