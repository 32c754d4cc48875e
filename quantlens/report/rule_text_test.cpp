// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/rule_text.h"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "quantlens/base/words.h"
#include "quantlens/record/profile.h"

namespace quantlens {
namespace {

TEST(RuleText, IsThereForEachRuleOfTheDocuments) {
  std::ifstream file(QUANTLENS_SOURCE_DIR "/docs/rules.md");
  const std::regex row("^\\| `(\\w+)`.*");
  std::size_t rules = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    // A long line is more than std::regex can match.
    const std::string begin = line.substr(0, 40);
    if (!std::regex_match(begin, found, row)) continue;
    ++rules;
    EXPECT_NE(rule_text(found[1].str()), found[1].str());
  }
  EXPECT_GT(rules, 20U);
}

TEST(RuleText, IsThereForEachRuleOfAProfileAndEachGate) {
  for (const std::string_view rule : words<SpeedRule>()) EXPECT_NE(rule_text(rule), rule);
  EXPECT_NE(rule_text("gate/sqnr"), "gate/sqnr");
  EXPECT_NE(rule_text("gate/accuracy"), "gate/accuracy");
}

TEST(RuleText, OfARuleOfALaterVersionIsItsName) {
  EXPECT_EQ(rule_text("new_rule"), "new_rule");
  EXPECT_EQ(rule_text("new\n"), "new?");
}

}  // namespace
}  // namespace quantlens
