// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/observation.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Diagnosis with_a_finding() {
  Diagnosis diagnosis;
  diagnosis.verdict = "The rest.";
  diagnosis.findings.push_back({.rule = "rounding",
                                .op = "conv",
                                .ops = {"conv"},
                                .because = "it rounds",
                                .remedy = {},
                                .severity = "problem"});
  return diagnosis;
}

Diagnosis told(const Observation& observation) {
  Diagnosis diagnosis = with_a_finding();
  add_observation(observation, diagnosis);
  return diagnosis;
}

/// What could not be looked at, at this loss bare and observed.
Observation unseen(double bare_db, double observed_db) {
  Observation observation;
  observation.apart = true;
  observation.unseen = {"mul"};
  observation.fusions = {{.node = "QLinearConv 'conv'", .makes_weight = true}};
  observation.bare_sqnr_db = bare_db;
  observation.observed_sqnr_db = observed_db;
  return observation;
}

TEST(Observation, SaysNothingOfARunThatIsTheBareOne) {
  Observation observation;
  observation.reference_sqnr_db = std::numeric_limits<double>::infinity();
  const Diagnosis diagnosis = told(observation);
  EXPECT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.verdict, "The rest.");
}

TEST(Observation, SaysFirstWhatTheRuntimeDoesAndWhatToDo) {
  const Diagnosis diagnosis = told(unseen(3, 20));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].rule, "observation");
  EXPECT_EQ(diagnosis.findings[0].op, "mul");
  EXPECT_EQ(diagnosis.findings[0].severity, "problem");
  EXPECT_THAT(diagnosis.findings[0].because, HasSubstr("QLinearConv 'conv'"));
  EXPECT_THAT(diagnosis.findings[0].because, HasSubstr("int8 weight that it makes of the float"));
  EXPECT_THAT(diagnosis.findings[0].because, HasSubstr("fold the constants"));
  EXPECT_THAT(diagnosis.verdict, StartsWith("The runtime computes mul inside QLinearConv 'conv'"));
}

TEST(Observation, IsANoteBehindAllOthersWhereTheLossIsTheSame) {
  const Diagnosis diagnosis = told(unseen(20, 20.1));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings.front().rule, "rounding");
  EXPECT_EQ(diagnosis.findings.back().severity, "note");
  EXPECT_THAT(diagnosis.findings.back().because, HasSubstr("int8 weight that it makes"));
  EXPECT_THAT(diagnosis.findings.back().because, HasSubstr("that result is not compared"));
  EXPECT_THAT(diagnosis.findings.back().because, Not(HasSubstr("fold the constants")))
      << "nothing is to be done";
  EXPECT_EQ(diagnosis.verdict, "The rest.");
}

TEST(Observation, TellsWhatWasNotTriedByItself) {
  Observation observation = unseen(3, 20);
  observation.untried = {"add"};
  EXPECT_THAT(told(observation).findings[0].because, HasSubstr("add, which were not tried"));
  observation.unseen.clear();
  const Diagnosis alone = told(observation);
  EXPECT_EQ(alone.findings[0].op, "add");
  EXPECT_THAT(alone.findings[0].because, HasSubstr("was not found"));
}

TEST(Observation, IsAProblemWhereItIsNotSteady) {
  Observation observation;
  observation.is_steady = false;
  EXPECT_EQ(told(observation).findings[0].severity, "problem");
}

TEST(Observation, SaysWhereTheModelsRanApart) {
  Observation observation;
  observation.apart = true;
  observation.bare_sqnr_db = 30;
  observation.observed_sqnr_db = 12;
  EXPECT_EQ(told(observation).findings[0].severity, "warning");
  EXPECT_THAT(told(observation).verdict, HasSubstr("run apart"));
}

TEST(Observation, WarnsOfAFloatModelThatComputesOtherwise) {
  Observation observation;
  observation.reference_sqnr_db = 31;
  observation.bare_sqnr_db = 20;  // a tenth of the error and more is not the quantized model's
  EXPECT_THAT(told(observation).findings[0].because, HasSubstr("31.0 dB"));
  observation.reference_sqnr_db = 41;
  EXPECT_EQ(told(observation).findings.size(), 1U);
  observation.reference_sqnr_db = -std::numeric_limits<double>::infinity();
  EXPECT_THAT(told(observation).findings[0].because, HasSubstr("not finite"));
}

TEST(Observation, WarnsOfIntegersOfTheFloatModelThatAreOthers) {
  Observation observation;
  observation.reference_others = 2;
  EXPECT_THAT(told(observation).findings[0].because, HasSubstr("2 elements"));
}

}  // namespace
}  // namespace quantlens
