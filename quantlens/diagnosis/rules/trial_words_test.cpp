// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/trial_words.h"

#include <string>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

Finding tried_at(const std::string& op, double gain, double low, double high) {
  Finding finding;
  finding.op = op;
  finding.measured_gain = gain;
  finding.measured_gain_interval = {{low, high}};
  return finding;
}

TEST(TrialWords, OfNoTrialThereAreNone) {
  Diagnosis diagnosis;
  diagnosis.findings.emplace_back().op = "conv1";
  EXPECT_EQ(trial_words(diagnosis), "");
}

TEST(TrialWords, OfOneRemedyTellItsGain) {
  Diagnosis diagnosis;
  diagnosis.samples = 64;
  diagnosis.findings = {tried_at("conv1", 0.54, 0.37, 0.71)};
  EXPECT_EQ(trial_words(diagnosis),
            "Tried over all 64 samples, the remedy at conv1 takes 54 % (37 to 71) of the error "
            "away.");
  diagnosis.findings = {tried_at("conv1", 0.02, -0.1, 0.14)};
  EXPECT_EQ(trial_words(diagnosis),
            "Tried over all 64 samples, the remedy at conv1 takes no error away that these samples "
            "could tell (-10 to 14 %).");
  diagnosis.findings = {tried_at("conv1", -0.2, -0.3, -0.1)};
  EXPECT_EQ(trial_words(diagnosis),
            "Tried over all 64 samples, the remedy at conv1 takes nothing away: there is 20 % more "
            "error (10 to 30).");
}

TEST(TrialWords, SayWhyATrialAndAShareDiffer) {
  Diagnosis diagnosis;
  diagnosis.samples = 64;
  diagnosis.local_samples = 16;
  diagnosis.findings = {tried_at("conv1", 1, 0.98, 1)};
  diagnosis.findings[0].output_share_interval = {{-0.1, 0.4}};
  EXPECT_EQ(
      trial_words(diagnosis),
      "Shares are of the first 16 samples, in float within the model as it is. Tried over all "
      "64 samples, the remedy at conv1 takes 100 % (98 to 100) of the error away.");
  diagnosis.findings[0].output_share_interval = {{0.9, 1}};
  EXPECT_EQ(trial_words(diagnosis).find("Shares are"), std::string::npos);
}

TEST(TrialWords, OfSeveralTellAsManyAsTakeMost) {
  Diagnosis diagnosis;
  diagnosis.samples = 8;
  diagnosis.findings = {tried_at("a", 0.1, 0.05, 0.15), {}, tried_at("b", 0.6, 0.5, 0.7)};
  EXPECT_EQ(trial_words(diagnosis),
            "Tried over all 8 samples, 2 remedies together, that at a first, take 60 % (50 to 70) "
            "of the error away.");
  diagnosis.findings.back() = tried_at("b", 0.3, -0.03, 0.78);
  EXPECT_EQ(trial_words(diagnosis),
            "Tried over all 8 samples, the remedy at a takes 10 % (5 to 15) of the error away.");
}

}  // namespace
}  // namespace quantlens
