// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/speed_findings.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// An int8 convolution that takes `us` in float and a kernel and conversions of so much in int8.
OpTime row(const std::string& op, double us, double kernel, double conversions) {
  OpTime made;
  made.ops = {op};
  made.names = {op + "_op"};
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

std::vector<std::string> rules(const ProfileRecord& pair) {
  std::vector<std::string> found;
  for (const SpeedFinding& finding : speed_findings(pair)) found.push_back(finding.rule);
  return found;
}

using Rules = std::vector<std::string>;

TEST(SpeedFindings, ALostKernelIsAnOpBetweenQuantizersInFloat) {
  OpTime lost = row("a", 10, 10, 20);
  lost.quantized = false;
  EXPECT_EQ(rules(pair_of({lost})), Rules({"float_island"}));
  lost.wrapped = true;
  EXPECT_EQ(rules(pair_of({lost})), Rules({"lost_kernel"}));
}

TEST(SpeedFindings, AFloatOpThatPaysForNothingIsNone) {
  OpTime slower = row("a", 10, 40, 0);
  slower.quantized = false;
  EXPECT_EQ(rules(pair_of({slower})), Rules());
}

TEST(SpeedFindings, MoreNodesThanInFloatAreABrokenFusion) {
  OpTime broken = row("a", 10, 30, 0);
  broken.quantized_nodes.emplace_back("Relu");
  EXPECT_EQ(rules(pair_of({broken})), Rules({"broken_fusion"}));
}

TEST(SpeedFindings, AKernelThatIsSlowerIsToldFromDearConversions) {
  EXPECT_EQ(rules(pair_of({row("a", 10, 30, 1)})), Rules({"slow_kernel"}));
  EXPECT_EQ(rules(pair_of({row("a", 10, 5, 30)})), Rules({"conversions"}));
}

TEST(SpeedFindings, CountConversionsAsTheVerdictDoes) {
  OpTime slow = row("a", 10, 30, 4);
  slow.layout_us = 50;
  slow.gain_us -= 50;
  const ProfileRecord pair = pair_of({slow});
  EXPECT_NE(speed_verdict(pair).find("conversions 0.004 and other layouts 0.050"),
            std::string::npos);
  const std::string because = speed_findings(pair).at(0).because;
  EXPECT_NE(because.find("4.0 us for conversions and 50.0 for other layouts"), std::string::npos)
      << because;
}

TEST(SpeedFindings, APoolIsSaidToBeFloatOnlyWithWhatReadsIt) {
  OpTime pool = row("p", 10, 300, 0);
  pool.passed_to = {"reader"};
  const auto findings = speed_findings(pair_of({pool}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].because.find("what reads it"), std::string::npos);
  EXPECT_EQ(findings[0].ops, std::vector<std::string>{"p_op"});
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
  EXPECT_EQ(findings[0].rule, "slow_kernel");
  EXPECT_EQ(findings[0].ops, std::vector<std::string>({"a_op", "b_op"}));
  EXPECT_DOUBLE_EQ(findings[0].milliseconds, 0.05);
  EXPECT_DOUBLE_EQ(findings[1].milliseconds, 0.025);
}

TEST(SpeedFindings, NameTheKernelsOfAllRowsAlike) {
  OpTime fused = row("b", 10, 30, 0);
  fused.reference_nodes = {"FusedConv"};
  const auto findings = speed_findings(pair_of({fused, row("a", 10, 40, 0), row("c", 10, 50, 0)}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].because.find("QLinearConv, which the quantized model runs, is slower than "
                                     "Conv (2 ops), FusedConv (1) of the float model"),
            std::string::npos)
      << findings[0].because;
}

TEST(SpeedVerdict, SaysHowTheTwoCompare) {
  ProfileRecord pair = pair_of({row("a", 100, 60, 10), row("b", 10, 15, 0)});
  EXPECT_NE(speed_verdict(pair).find("neither faster nor slower than float"), std::string::npos);
  pair.ratio = 0.5;
  pair.ratio_interval = {{0.4, 0.6}};
  EXPECT_NE(speed_verdict(pair).find("2.00 times as fast"), std::string::npos);
  pair.ratio = 1.5;
  pair.ratio_interval = {{1.4, 1.6}};
  EXPECT_NE(speed_verdict(pair).find("1.50 times as slow"), std::string::npos);
  EXPECT_NE(speed_verdict(pair).find("save 0.040 ms, slower ones cost 0.005, conversions 0.010"),
            std::string::npos)
      << speed_verdict(pair);
}

TEST(SpeedVerdict, SaysWhyMediansHaveAnotherRatioThanRunsInTurn) {
  ProfileRecord pair = pair_of({row("a", 100, 60, 0)});
  pair.ratio = 0.8;
  pair.ratio_interval = {{0.78, 0.82}};
  pair.reference.wall.median_us = 1100;
  pair.quantized->wall.median_us = 880;
  EXPECT_EQ(speed_verdict(pair).find("of each other"), std::string::npos) << speed_verdict(pair);
  pair.quantized->wall.median_us = 1000;
  EXPECT_NE(speed_verdict(pair).find("1.25 times as fast"), std::string::npos);
  EXPECT_NE(speed_verdict(pair).find("medians 1.000 ms against 1.100, 0.909 of each other"),
            std::string::npos)
      << speed_verdict(pair);
}

TEST(SpeedVerdict, NothingLostIsZeroAndNotBelowIt) {
  EXPECT_EQ(speed_verdict(pair_of({row("a", 100, 60, 0)})).find("-0.000"), std::string::npos);
  EXPECT_EQ(speed_verdict(pair_of({})).find("-0.000"), std::string::npos);
}

}  // namespace
}  // namespace quantlens
