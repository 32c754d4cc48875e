// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/report_gates.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

TEST(GateResults, AreThoseThatWereAskedForAndNoOthers) {
  EXPECT_TRUE(gate_results(reported_run(), {}).empty());
  const std::vector<GateResult> both =
      gate_results(reported_run(), {.least_db = 4, .most_loss = 0.01});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].id, "sqnr");
  EXPECT_EQ(both[0].asks, "SQNR >= 4 dB");
  EXPECT_TRUE(both[0].reached);
  EXPECT_EQ(both[1].id, "accuracy");
  EXPECT_EQ(both[1].asks, "accuracy loss <= 1 %");
  EXPECT_FALSE(both[1].reached);
  EXPECT_EQ(both[1].because,
            "the loss of top1 is 33.33 % (from 0.7500 to 0.5000), where at most 1 % is allowed");
}

TEST(GateResults, InTheMetricsUnitHaveNoPercent) {
  const std::vector<GateResult> one =
      gate_results(reported_run(), {.most_loss = 0.25, .absolute = true});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].asks, "accuracy loss <= 0.25");
  EXPECT_TRUE(one[0].reached);
}

TEST(GateResults, AreMissedWhereTheRunHasNoSuchFigure) {
  const std::vector<GateResult> both = gate_results({}, {.least_db = 20, .most_loss = 0.01});
  ASSERT_EQ(both.size(), 2U);
  for (const GateResult& gate : both) {
    EXPECT_FALSE(gate.reached) << gate.id;
    EXPECT_NE(gate.because, "") << gate.id;
  }
}

TEST(GateResults, OfAFailedRunAreMissedWhateverItsFigures) {
  RunRecords records = reported_run();
  records.run.state = WorkloadState::failure;
  const std::vector<GateResult> one = gate_results(records, {.most_loss = 0.9});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_FALSE(one[0].reached);
  EXPECT_NE(one[0].because.find("the run failed"), std::string::npos);
}

TEST(GateResults, RefuseAShareThatIsAll) {
  EXPECT_THROW((void)gate_results(reported_run(), {.most_loss = 1.5}), Error);
}

TEST(GateResults, RefuseAUnitOfALossThatNobodyAskedFor) {
  EXPECT_THROW((void)gate_results(reported_run(), {.least_db = 4, .absolute = true}), Error);
}

}  // namespace
}  // namespace quantlens
