// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/speed_findings.h"

#include <cmath>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// An int8 convolution that takes `us` in float and a kernel and conversions of so much in int8.
OpTime row(const std::string& op, double us, double kernel, double conversions) {
  OpTime made;
  made.ops = {{op, op + "_op"}};
  made.type = "Conv";
  made.reference_us = us;
  made.quantized_us = kernel;
  made.conversion_us = conversions;
  made.gain_us = us - kernel - conversions;
  made.reference_nodes = {"Conv"};
  made.quantized_nodes = {"QLinearConv"};
  made.quantized = true;
  return made;
}

ProfileRecord pair_of(std::vector<OpTime> rows) {
  ProfileRecord pair;
  pair.ops = std::move(rows);
  Profile& quantized = pair.quantized.emplace();
  quantized.wall.mean_us = quantized.wall.median_us = 1000;
  pair.reference.wall.mean_us = pair.reference.wall.median_us = 1000;
  pair.ratio = 1;
  pair.ratio_interval = {{0.99, 1.01}};
  return pair;
}

std::vector<SpeedRule> rules(const ProfileRecord& pair) {
  std::vector<SpeedRule> found;
  for (const SpeedFinding& finding : speed_findings(pair)) found.push_back(finding.rule);
  return found;
}

using Rules = std::vector<SpeedRule>;

/// The only finding of this rule, by what its reasons say.
Statements reasons_of(const std::vector<OpTime>& rows) {
  const auto findings = speed_findings(pair_of(rows));
  EXPECT_EQ(findings.size(), 1U);
  return findings.at(0).reasons;
}

std::vector<std::string> words(const Statements& statements) {
  std::vector<std::string> said;
  for (const Statement& one : statements) said.push_back(one.says);
  return said;
}

const json::Value& figure_of(const Statement& statement, const std::string& name) {
  return statement.figures.at(name).value;
}

TEST(SpeedFindings, ALostKernelIsAnOpBetweenQuantizersInFloat) {
  OpTime lost = row("a", 10, 10, 20);
  lost.quantized = false;
  EXPECT_EQ(rules(pair_of({lost})), Rules({SpeedRule::float_island}));
  lost.wrapped = true;
  EXPECT_EQ(rules(pair_of({lost})), Rules({SpeedRule::lost_kernel}));
}

TEST(SpeedFindings, AFloatOpThatPaysForNothingIsNone) {
  OpTime slower = row("a", 10, 40, 0);
  slower.quantized = false;
  EXPECT_EQ(rules(pair_of({slower})), Rules());
}

TEST(SpeedFindings, MoreNodesThanInFloatAreABrokenFusion) {
  OpTime broken = row("a", 10, 30, 0);
  broken.quantized_nodes.emplace_back("Relu");
  EXPECT_EQ(rules(pair_of({broken})), Rules({SpeedRule::broken_fusion}));
}

TEST(SpeedFindings, AKernelThatIsSlowerIsToldFromDearConversions) {
  EXPECT_EQ(rules(pair_of({row("a", 10, 30, 1)})), Rules({SpeedRule::slow_kernel}));
  EXPECT_EQ(rules(pair_of({row("a", 10, 5, 30)})), Rules({SpeedRule::conversions}));
}

TEST(SpeedFindings, SayWhichNodesComputeThemAndHowLong) {
  OpTime slow = row("a", 10, 30, 4);
  slow.layout_us = 50;
  slow.gain_us -= 50;
  const Statements slower = reasons_of({slow});
  EXPECT_EQ(slower, Statements({{"speed.slow_kernel",
                                 {{"kernels", figure::counts({{"QLinearConv", 1}})},
                                  {"reference_kernels", figure::counts({{"Conv", 1}})}}},
                                {"speed.times",
                                 {{"reference", figure::microseconds(10)},
                                  {"kernels", figure::microseconds(30)},
                                  {"conversions", figure::microseconds(4)},
                                  {"layouts", figure::microseconds(50)}}}}));
  const Statement balance = speed_conclusions(pair_of({slow})).at(2);
  EXPECT_EQ(balance.says, "speed.balance");
  for (const char* name : {"conversions", "layouts"}) {
    EXPECT_EQ(figure_of(balance, name), figure_of(slower[1], name)) << "as the conclusions have it";
  }
  OpTime broken = row("a", 10, 30, 0);
  broken.quantized_nodes.emplace_back("com.microsoft.Gelu");
  const Statement fusion = reasons_of({broken}).at(0);
  EXPECT_EQ(fusion.says, "speed.broken_fusion");
  EXPECT_EQ(fusion.figures.at("kernels"),
            figure::counts({{"QLinearConv + com.microsoft.Gelu", 1}}));
}

TEST(SpeedFindings, EachRuleHasItsStatement) {
  EXPECT_EQ(reasons_of({row("a", 10, 5, 30)}).at(0).says, "speed.conversions");
  OpTime in_float = row("a", 10, 10, 20);
  in_float.quantized = false;
  EXPECT_EQ(reasons_of({in_float}).at(0).says, "speed.float_island");
  in_float.wrapped = true;
  const Statement lost = reasons_of({in_float}).at(0);
  EXPECT_EQ(lost.says, "speed.lost_kernel");
  EXPECT_FALSE(lost.figures.contains("reference_kernels")) << "they are those of the float model";
}

TEST(SpeedFindings, APoolIsSaidToBeFloatOnlyWithWhatReadsIt) {
  OpTime pool = row("p", 10, 300, 0);
  pool.passed_to = {{"r", "reader"}};
  const auto findings = speed_findings(pair_of({pool}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(words(findings[0].reasons),
            std::vector<std::string>(
                {"speed.slow_kernel", "speed.slow_kernel.with_readers", "speed.times"}));
  EXPECT_EQ(findings[0].ops, std::vector<OpRef>({{"p", "p_op"}}));
}

TEST(SpeedFindings, AreSilentWhereInt8IsAsFastOrNobodysOrTooSmall) {
  EXPECT_EQ(rules(pair_of({row("a", 30, 10, 5), row("b", 10, 10, 0)})), Rules());
  EXPECT_EQ(rules(pair_of({row("a", 10, 14.9, 0)})), Rules()) << "below half a percent of 1000";
  OpTime nobodys = row("a", 0, 30, 30);
  nobodys.ops.clear();
  EXPECT_EQ(rules(pair_of({nobodys})), Rules());
  EXPECT_EQ(rules({}), Rules());
}

TEST(SpeedFindings, RowsAlikeAreOneAndTheMostIsFirst) {
  const auto findings =
      speed_findings(pair_of({row("c", 10, 5, 30), row("a", 10, 30, 0), row("b", 10, 40, 0)}));
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].rule, SpeedRule::slow_kernel);
  EXPECT_EQ(findings[0].ops, std::vector<OpRef>({{"a", "a_op"}, {"b", "b_op"}}));
  EXPECT_DOUBLE_EQ(findings[0].milliseconds, 0.05);
  EXPECT_DOUBLE_EQ(findings[1].milliseconds, 0.025);
}

TEST(SpeedFindings, NameTheKernelsOfAllRowsAlike) {
  OpTime fused = row("b", 10, 30, 0);
  fused.reference_nodes = {"FusedConv"};
  const Statements said = reasons_of({fused, row("a", 10, 40, 0), row("c", 10, 50, 0)});
  EXPECT_EQ(said.at(0).figures.at("kernels"), figure::counts({{"QLinearConv", 3}}));
  EXPECT_EQ(said.at(0).figures.at("reference_kernels"),
            figure::counts({{"Conv", 2}, {"FusedConv", 1}}));
}

TEST(SpeedConclusions, SayHowTheTwoCompare) {
  ProfileRecord pair = pair_of({row("a", 100, 60, 10), row("b", 10, 15, 0)});
  pair.ratio = 0.5;
  pair.ratio_interval = {{0.4, 0.6}};
  const Statements said = speed_conclusions(pair);
  EXPECT_EQ(words(said),
            std::vector<std::string>({"speed.compared", "speed.medians", "speed.balance"}));
  EXPECT_EQ(said[0].figures.at("ratio"), figure::number(0.5));
  EXPECT_EQ(said[0].figures.at("interval"), figure::numbers({0.4, 0.6}));
  EXPECT_EQ(said[2].figures,
            (std::map<std::string, Figure>{{"saved", figure::microseconds(40)},
                                           {"lost", figure::microseconds(5)},
                                           {"conversions", figure::microseconds(10)},
                                           {"layouts", figure::microseconds(0)}}));
}

TEST(SpeedConclusions, HaveTheRatioOfMediansWhereItIsAnotherThanThatOfRunsInTurn) {
  ProfileRecord pair = pair_of({row("a", 100, 60, 0)});
  pair.ratio = 0.8;
  pair.ratio_interval = {{0.78, 0.82}};
  pair.reference.wall.median_us = 1100;
  pair.quantized->wall.median_us = 880;
  EXPECT_FALSE(speed_conclusions(pair).at(1).figures.contains("other_ratio"));
  pair.quantized->wall.median_us = 1000;
  const Statement medians = speed_conclusions(pair).at(1);
  EXPECT_EQ(medians.figures.at("quantized"), figure::microseconds(1000));
  EXPECT_EQ(medians.figures.at("reference"), figure::microseconds(1100));
  EXPECT_EQ(medians.figures.at("other_ratio"), figure::number(1000.0 / 1100));
}

TEST(SpeedConclusions, NothingLostIsZeroAndNotBelowIt) {
  for (const ProfileRecord& pair : {pair_of({row("a", 100, 60, 0)}), pair_of({})}) {
    const json::Value lost = figure_of(speed_conclusions(pair).at(2), "lost");
    EXPECT_FALSE(std::signbit(json::decode<double>(lost, "lost")));
  }
}

}  // namespace
}  // namespace quantlens
