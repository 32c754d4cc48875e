// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/json_line.h"

#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/yaml.h"

namespace quantlens {
namespace {

// right-to-left override, line separator, delete, a C1 control, a letter, a joiner, a tag
const std::string kName =
    "a\xE2\x80\xAE\xE2\x80\xA8\x7F\xC2\x9B\xC3\xA4\xE2\x80\x8D\xF3\xA0\x80\x81\n\"";

TEST(JsonLine, ShowsATerminalNoCharacterThatReordersOrBreaksIt) {
  const json::Value value{{kName, kName}, {"n", 1}};
  const std::string shown =
      "\"a\\u202e\\u2028\\u007f\\u009b\xC3\xA4\xE2\x80\x8D\xF3\xA0\x80\x81\\n\\\"\"";
  EXPECT_EQ(json::line(value), "{" + shown + ":" + shown + ",\"n\":1}");
  EXPECT_NE(json::dump(value).find(shown + ": " + shown), std::string::npos) << json::dump(value);
}

TEST(JsonLine, ReadsBackAsItWas) {
  const json::Value value{{kName, "x"}};
  EXPECT_EQ(json::parse(json::line(value), "line"), value);
  EXPECT_EQ(json::parse(json::dump(value), "dump"), value);
  EXPECT_EQ(parse_yaml(json::line(value), "line"), value) << "a recipe on a command line is YAML";
}

TEST(JsonLine, IsValidWhereANameIsNoUtf8) {
  EXPECT_EQ(json::line("\xFFz"), "\"\xEF\xBF\xBDz\"");
}

}  // namespace
}  // namespace quantlens
