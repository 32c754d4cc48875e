// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/observation.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/said.h"

namespace quantlens {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Diagnosis with_a_finding() {
  Diagnosis diagnosis;
  diagnosis.conclusions = {{.says = "the_rest", .figures = {}}};
  diagnosis.findings.push_back({.rule = "rounding",
                                .op = op_ref("conv"),
                                .ops = {op_ref("conv")},
                                .reasons = {{.says = "rounds", .figures = {}}},
                                .remedy = {},
                                .severity = Severity::problem});
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
  observation.unseen = {op_ref("mul")};
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
  EXPECT_EQ(said(diagnosis.conclusions), "the_rest()");
}

TEST(Observation, SaysFirstWhatTheRuntimeDoesAndWhatToDo) {
  const Diagnosis diagnosis = told(unseen(3, 20));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].rule, "observation");
  EXPECT_EQ(diagnosis.findings[0].op, op_ref("mul"));
  EXPECT_EQ(diagnosis.findings[0].severity, Severity::problem);
  const std::string reasons = said(diagnosis.findings[0].reasons);
  EXPECT_EQ(reasons,
            "observation.unseen(inside: [\"QLinearConv 'conv'\"], ops: [\"mul\"]) "
            "observation.makes_weight() observation.losses(deployed: 3, observed: 20) "
            "observation.not_compared(ops: 1) observation.fold_constants()");
  EXPECT_EQ(said(diagnosis.conclusions), "begin() " + reasons + " next() the_rest()");
}

TEST(Observation, IsANoteBehindAllOthersWhereTheLossIsTheSame) {
  const Diagnosis diagnosis = told(unseen(20, 20.1));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings.front().rule, "rounding");
  EXPECT_EQ(diagnosis.findings.back().severity, Severity::note);
  EXPECT_THAT(said(diagnosis.findings.back().reasons),
              EndsWith("observation.makes_weight() observation.nearly_the_same(ops: 1)"))
      << "nothing is to be done";
  EXPECT_EQ(said(diagnosis.conclusions), "the_rest()");
}

TEST(Observation, TellsWhatWasNotTriedByItself) {
  Observation observation = unseen(3, 20);
  observation.untried = {op_ref("add")};
  EXPECT_THAT(said(told(observation).findings[0].reasons),
              HasSubstr("observation.neither_compared(ops: [\"add\"])"));
  observation.unseen.clear();
  const Diagnosis alone = told(observation);
  EXPECT_EQ(alone.findings[0].op, op_ref("add"));
  EXPECT_THAT(said(alone.findings[0].reasons), EndsWith("observation.none_compared()"));
}

TEST(Observation, IsAProblemWhereItIsNotSteady) {
  Observation observation;
  observation.is_steady = false;
  EXPECT_EQ(told(observation).findings[0].severity, Severity::problem);
}

TEST(Observation, SaysWhereTheModelsRanApart) {
  Observation observation;
  observation.apart = true;
  observation.bare_sqnr_db = 30;
  observation.observed_sqnr_db = 12;
  EXPECT_EQ(told(observation).findings[0].severity, Severity::warning);
  EXPECT_THAT(said(told(observation).conclusions), HasSubstr("observation.run_apart()"));
}

TEST(Observation, WarnsOfAFloatModelThatComputesOtherwise) {
  Observation observation;
  observation.reference_sqnr_db = 31;
  observation.bare_sqnr_db = 20;  // a tenth of the error and more is not the quantized model's
  EXPECT_EQ(said(told(observation).findings[0].reasons), "observation.reference(sqnr: 31)");
  observation.reference_sqnr_db = 41;
  EXPECT_EQ(told(observation).findings.size(), 1U);
  observation.reference_sqnr_db = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(said(told(observation).findings[0].reasons), R"(observation.reference(sqnr: "-inf"))");
}

TEST(Observation, WarnsOfIntegersOfTheFloatModelThatAreOthers) {
  Observation observation;
  observation.reference_others = 2;
  EXPECT_EQ(said(told(observation).findings[0].reasons), "observation.other_elements(elements: 2)");
}

}  // namespace
}  // namespace quantlens
