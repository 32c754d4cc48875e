// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/loss_gate.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;

RunRecords scores_of(double reference, double quantized, bool higher_is_better = true) {
  RunRecords records;
  AccuracyRecord& accuracy = records.accuracy.emplace();
  accuracy.reference = {.metric = "top1",
                        .value = reference,
                        .interval = {},
                        .is_rate = higher_is_better,
                        .higher_is_better = higher_is_better};
  accuracy.quantized = *accuracy.reference;
  accuracy.quantized.value = quantized;
  accuracy.difference = quantized - reference;
  return records;
}

Errc refused(const RunRecords& records, double max_loss, const char* why) {
  try {
    (void)accuracy_gate(records, max_loss);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
    return error.code();
  }
  return Errc::bad_input;
}

TEST(AccuracyGate, IsOfAShareOfTheReferenceUnlessTheUnitIsAskedFor) {
  const RunRecords records = scores_of(0.5, 0.45);
  EXPECT_FALSE(accuracy_gate(records, 0.09).reached);
  EXPECT_TRUE(accuracy_gate(records, 0.11).reached);
  EXPECT_NEAR(accuracy_gate(records, 0.11).loss, 0.1, 1e-9);
  EXPECT_FALSE(accuracy_gate(records, 0.04, true).reached);
  EXPECT_TRUE(accuracy_gate(records, 0.06, true).reached);
  EXPECT_NEAR(accuracy_gate(records, 0.06, true).loss, 0.05, 1e-9);
}

TEST(AccuracyGate, ForgivesWhatRoundingAddsToALossOfJustThat) {
  EXPECT_TRUE(accuracy_gate(scores_of(0.5, 0.45), 0.1).reached);
  EXPECT_TRUE(accuracy_gate(scores_of(0.75, 0.75), 0).reached);
}

TEST(AccuracyGate, SaysWhereTheSamplesCannotTell) {
  RunRecords records = scores_of(0.5, 0.45);
  records.accuracy->difference_interval = {-0.12, 0.02};
  EXPECT_THAT(accuracy_gate(records, 0.01).because, HasSubstr("these samples cannot tell"));
  records.accuracy->difference_interval = {-0.08, -0.02};
  EXPECT_THAT(accuracy_gate(records, 0.01).because, Not(HasSubstr("cannot tell")));
}

TEST(AccuracyGate, SaysWhatWasLostOfWhat) {
  const RunRecords records = scores_of(0.5, 0.45);
  EXPECT_EQ(accuracy_gate(records, 0.01).because,
            "the loss of top1 is 10.00 % (from 0.5000 to 0.4500), where at most 1 % is allowed");
  EXPECT_EQ(accuracy_gate(records, 0.01, true).because,
            "the loss of top1 is 0.0500 (from 0.5000 to 0.4500), where at most 0.01 is allowed");
  EXPECT_EQ(accuracy_gate(records, 0.2).because, "");
}

TEST(AccuracyGate, TakesARiseForALossWhereLowerIsBetter) {
  EXPECT_FALSE(accuracy_gate(scores_of(2, 2.5, false), 0.2).reached);
  EXPECT_TRUE(accuracy_gate(scores_of(2, 1.5, false), 0).reached);
  EXPECT_TRUE(accuracy_gate(scores_of(2, 4, false), 1.5).reached);  // no share of what there is
}

TEST(AccuracyGate, BelowZeroDemandsAGain) {
  EXPECT_FALSE(accuracy_gate(scores_of(0.5, 0.5), -0.1).reached);
  EXPECT_TRUE(accuracy_gate(scores_of(0.5, 0.6), -0.1).reached);
}

TEST(AccuracyGate, IsMissedWhereNoLossCanBeTold) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(accuracy_gate(scores_of(nan, 0.5), 0.5).because,
            "the reference's top1 is nan, so no loss can be told from it");
  EXPECT_FALSE(accuracy_gate(scores_of(0.5, nan), 0.5).reached);
  EXPECT_TRUE(std::isinf(accuracy_gate(scores_of(0.5, nan), 0.5).loss));
  const LossVerdict nothing = accuracy_gate(scores_of(0, 0), 0.5);
  EXPECT_FALSE(nothing.reached);
  EXPECT_THAT(nothing.because, HasSubstr("nothing can be lost"));
  EXPECT_FALSE(accuracy_gate(scores_of(0, 0), 0.5, true).reached);
}

TEST(AccuracyGate, OfASearchIsOfTheModelThatWasKept) {
  RunRecords records;
  Study& study = records.study.emplace();
  study.reference = {.metric = "top1", .value = 0.5, .interval = {}};
  study.trials.resize(2);
  study.trials[1].accuracy = {.metric = "top1", .value = 0.4, .interval = {}};
  study.trials[1].difference = -0.1;
  EXPECT_EQ(refused(records, 0.5, "no trial of the search has a figure"), Errc::failed);
  study.best = 2;
  EXPECT_TRUE(accuracy_gate(records, 0.25).reached);
  EXPECT_FALSE(accuracy_gate(records, 0.15).reached);
}

TEST(AccuracyGate, RefusesARunWithoutTwoAccuracies) {
  EXPECT_EQ(refused(RunRecords(), 0.1, "run it with --metric"), Errc::failed);
  RunRecords one = scores_of(0.5, 0.5);
  one.accuracy->reference.reset();
  EXPECT_EQ(refused(one, 0.1, "score the float one beside it"), Errc::failed);
}

TEST(AccuracyGate, RefusesAShareThatIsAllThereIs) {
  EXPECT_EQ(refused(scores_of(0.5, 0.5), 5, "write 0.05 or 5%"), Errc::usage);
  EXPECT_TRUE(accuracy_gate(scores_of(0.5, 0.5), 5, true).reached);
}

}  // namespace
}  // namespace quantlens
