// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/comparison_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::HasSubstr;

Comparison compared(std::uint64_t worse, ComparisonVerdict accuracy) {
  Comparison comparison;
  comparison.a.id = "one";
  comparison.b.id = "other";
  comparison.counts.worse = worse;
  comparison.counts.equal = 3;
  comparison.accuracy.verdict = accuracy;
  return comparison;
}

TEST(WorseGate, IsReachedWhereNothingIsWorse) {
  EXPECT_TRUE(worse_gate(compared(0, ComparisonVerdict::better)).reached);
}

TEST(WorseGate, NamesWhatIsWorse) {
  EXPECT_EQ(worse_gate(compared(1, ComparisonVerdict::worse)).because,
            "other is worse than one: 1 activation and the accuracy");
}

TEST(WorseGate, IsReachedByTheSameModels) {
  Comparison comparison = compared(1, ComparisonVerdict::worse);
  comparison.same_models = true;
  EXPECT_TRUE(worse_gate(comparison).reached);
}

TEST(WorseGate, IsMissedWhereNothingCanBeTold) {
  Comparison comparison = compared(0, ComparisonVerdict::unknown);
  comparison.counts.equal = 0;
  EXPECT_THAT(worse_gate(comparison).because, HasSubstr("no figure in common"));
}

TEST(WorseGate, IsMissedByARunThatDidNotEndWell) {
  Comparison comparison = compared(0, ComparisonVerdict::better);
  comparison.a.state = WorkloadState::failure;
  EXPECT_THAT(worse_gate(comparison).because, HasSubstr("one did not end well"));
}

}  // namespace
}  // namespace quantlens
