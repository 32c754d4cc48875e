// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/trial_statement.h"

#include <string>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

Finding tried_at(const std::string& op, double gain, double low, double high) {
  Finding finding;
  finding.op = op_ref(op);
  finding.measured_gain = gain;
  finding.measured_gain_interval = {{low, high}};
  return finding;
}

TEST(TrialStatements, OfNoTrialThereAreNone) {
  Diagnosis diagnosis;
  diagnosis.findings.emplace_back().op = op_ref("conv1");
  EXPECT_TRUE(trial_statements(diagnosis).empty());
}

TEST(TrialStatements, OfOneRemedyTellItsGain) {
  Diagnosis diagnosis;
  diagnosis.samples = 64;
  diagnosis.findings = {tried_at("conv1", 0.54, 0.37, 0.71)};
  EXPECT_EQ(said(trial_statements(diagnosis)),
            R"(tried(gain: 0.54, interval: [0.37, 0.71], op: "conv1", remedies: 1, samples: 64))");
}

TEST(TrialStatements, SayWhyATrialAndAShareDiffer) {
  Diagnosis diagnosis;
  diagnosis.samples = 64;
  diagnosis.local_samples = 16;
  diagnosis.findings = {tried_at("conv1", 1, 0.98, 1)};
  diagnosis.findings[0].output_share_interval = {{-0.1, 0.4}};
  const Statements told = trial_statements(diagnosis);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(said(std::span(told).first(1)), "share_was_of(samples: 16)");
  EXPECT_EQ(told[1].says, "tried");
  diagnosis.findings[0].output_share_interval = {{0.9, 1}};
  EXPECT_EQ(trial_statements(diagnosis).size(), 1U);
}

TEST(TrialStatements, OfSeveralTellAsManyAsTakeMost) {
  Diagnosis diagnosis;
  diagnosis.samples = 8;
  diagnosis.findings = {tried_at("a", 0.1, 0.05, 0.15), {}, tried_at("b", 0.6, 0.5, 0.7)};
  EXPECT_EQ(said(trial_statements(diagnosis)),
            R"(tried(gain: 0.6, interval: [0.5, 0.7], op: "a", remedies: 2, samples: 8))");
  diagnosis.findings.back() = tried_at("b", 0.3, -0.03, 0.78);
  EXPECT_EQ(said(trial_statements(diagnosis)),
            R"(tried(gain: 0.1, interval: [0.05, 0.15], op: "a", remedies: 1, samples: 8))");
}

}  // namespace
}  // namespace quantlens
