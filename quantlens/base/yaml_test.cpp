// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/yaml.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

TEST(ParseYaml, GivesPlainScalarsTheirTypes) {
  const json::Value value = parse_yaml("{a: 1, b: 2.5, c: true, d: text, e: '7', f: ~}", "here");
  EXPECT_EQ(value.at("a"), json::Value(1));
  EXPECT_EQ(value.at("b"), json::Value(2.5));
  EXPECT_EQ(value.at("c"), json::Value(true));
  EXPECT_EQ(value.at("d"), json::Value("text"));
  EXPECT_EQ(value.at("e"), json::Value("7"));
  EXPECT_TRUE(value.at("f").is_null());
}

TEST(ParseYaml, ReadsJson) {
  EXPECT_EQ(parse_yaml(R"({"list": [1, 2], "quoted": "3"})", "here").at("list").as_array().size(),
            2U);
  EXPECT_EQ(parse_yaml(R"({"quoted": "3"})", "here").at("quoted"), json::Value("3"));
}

TEST(ParseYaml, RefusesWhatIsBrokenTwiceNamedTooDeepOrExploding) {
  EXPECT_THROW(parse_yaml("{a: [1, 2", "here"), Error);
  EXPECT_THROW(parse_yaml("{a: 1, a: 2}", "here"), Error);
  EXPECT_THROW(parse_yaml(std::string(40, '['), "here"), Error);
  EXPECT_THROW(parse_yaml(std::string(40, '[') + std::string(40, ']'), "here"), Error);
  EXPECT_THROW(parse_yaml(std::string((1 << 20) + 1, ' '), "here"), Error);
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name < 'h'; ++name) {
    bomb += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 10; ++i)
      bomb += std::string(i ? "," : "") + "*" + static_cast<char>(name - 1);
    bomb += "]\n";
  }
  EXPECT_THROW(parse_yaml(bomb, "here"), Error);
}

TEST(ParseYaml, RefusesBytesThatAreNoUtf8) {
  EXPECT_THROW(parse_yaml("k\x85: 1\nk\x84: 2", "here"), Error);  // printed, they were one key
  EXPECT_THROW(parse_yaml("{k: v\xff}", "here"), Error);
  EXPECT_EQ(parse_yaml("{k: \xc3\xa9}", "here").at("k"), json::Value("\xc3\xa9"));
}

}  // namespace
}  // namespace quantlens
