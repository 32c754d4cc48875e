// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/gate.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

/// A run whose diagnosis has activations of these decibels: a, b, ...
RunRecords run_of(std::initializer_list<double> decibels) {
  RunRecords records;
  records.diagnosis.emplace();
  for (const double sqnr_db : decibels) {
    ActivationRow& row = records.diagnosis->activations.emplace_back();
    row.op = op_ref(std::string(1, static_cast<char>('a' + records.diagnosis->paired++)));
    row.sqnr_db = sqnr_db;
  }
  return records;
}

TEST(SqnrGate, IsReachedWhereNoActivationIsBelow) {
  for (const double least_db : {-100.0, 19.9, 20.0}) {
    const GateVerdict verdict = sqnr_gate(run_of({20, 30}), least_db);
    EXPECT_TRUE(verdict.reached);
    EXPECT_EQ(verdict.below, 0U);
    EXPECT_EQ(verdict.short_of_db, 0);
    EXPECT_EQ(verdict.because, "");
  }
}

TEST(SqnrGate, SaysHowManyAreBelowAndByHowMuchAtMost) {
  const GateVerdict two = sqnr_gate(run_of({12.25, 19, 20}), 20);
  EXPECT_FALSE(two.reached);
  EXPECT_EQ(two.below, 2U);
  EXPECT_EQ(two.short_of_db, 7.75);
  EXPECT_EQ(two.because, "2 of 3 activations are below 20 dB, the worst a with 12.2 dB");
  EXPECT_EQ(sqnr_gate(run_of({12.25}), 20).because,
            "1 of 1 activation is below 20 dB, the worst a with 12.2 dB");
}

TEST(SqnrGate, FindsTheWorstWhereverItStands) {
  EXPECT_THAT(sqnr_gate(run_of({19, 3, 20}), 20).because, HasSubstr("the worst b with 3.0 dB"));
}

TEST(SqnrGate, IsMissedByWhatHasNoFiniteFigure) {
  const GateVerdict verdict = sqnr_gate(run_of({-std::numeric_limits<double>::infinity()}), -1000);
  EXPECT_FALSE(verdict.reached);
  EXPECT_TRUE(std::isinf(verdict.short_of_db));
}

TEST(SqnrGate, IsMissedByNaNWhateverTheFiniteValuesSay) {
  RunRecords records = run_of({50, 12, 40});
  records.diagnosis->activations[0].nonfinite = 9;
  records.diagnosis->activations[0].elements = 91;
  EXPECT_TRUE(sqnr_gate(records, 10).reached) << "the float model has them, too";
  records.diagnosis->activations[0].became_nonfinite = 4;
  const GateVerdict verdict = sqnr_gate(records, 10);
  EXPECT_FALSE(verdict.reached);
  EXPECT_EQ(verdict.below, 1U);
  EXPECT_TRUE(std::isinf(verdict.short_of_db));
  EXPECT_EQ(verdict.because,
            "1 of 3 activations is below 10 dB, the worst a with 4 of 100 values NaN or infinite "
            "that are not in the float model");
}

TEST(SqnrGate, IsMissedByAFigureThatIsNoNumber) {
  const GateVerdict verdict = sqnr_gate(run_of({50, std::nan("")}), -1000);
  EXPECT_FALSE(verdict.reached);
  EXPECT_EQ(verdict.because,
            "1 of 2 activations is below -1000 dB, the worst b, whose SQNR is not known");
}

TEST(SqnrGate, IsMissedByAnOutputThatWasNotCompared) {
  RunRecords records = run_of({50});
  records.diagnosis->outputs_not_compared = {"y\n"};
  const GateVerdict verdict = sqnr_gate(records, 20);
  EXPECT_FALSE(verdict.reached);
  EXPECT_EQ(verdict.below, 0U);
  EXPECT_EQ(verdict.because, "the output 'y?' was not compared, so it is not known to reach 20 dB");
}

TEST(SqnrGate, IsMissedWhereNothingWasCompared) {
  const GateVerdict verdict = sqnr_gate(run_of({}), 20);
  EXPECT_FALSE(verdict.reached);
  EXPECT_EQ(verdict.because, "nothing was compared, so nothing is known to reach 20 dB");
}

TEST(SqnrGate, RefusesARunWithoutADiagnosis) {
  try {
    (void)sqnr_gate(RunRecords(), 20);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::failed);
    EXPECT_THAT(error.what(), HasSubstr("judge one that did"));
  }
}

}  // namespace
}  // namespace quantlens
