// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/observation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

// Float32 rounding in another order stays above this, some 13 bits of 24, in networks of any depth.
constexpr double kRoundingDb = 80;
// Error that is a hundredth of what is told changes no figure.
constexpr double kFarBelowDb = 20;

std::string names_of(const std::vector<std::string>& ops) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, ops.size()); ++i) {
    text += (i == 0 ? "" : ", ") + printable(ops[i]);
  }
  if (ops.size() > kMost) text += fmt::format(" and {} more", ops.size() - kMost);
  return text;
}

std::string losses(const Observation& observation) {
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return {};
  return fmt::format(
      ": the outputs of the first samples keep {:.1f} dB of SQNR as the file is deployed, and "
      "would "
      "be told as {:.1f} dB",
      *observation.bare_sqnr_db, *observation.observed_sqnr_db);
}

Finding finding_of(std::string because, std::vector<std::string> ops, const char* severity) {
  Finding finding;
  finding.rule = "observation";
  finding.op = ops.empty() ? "" : ops.front();
  finding.ops = std::move(ops);
  finding.because = std::move(because);
  finding.severity = severity;
  return finding;
}

/// Whether what would have been told is another loss.
bool matters(const Observation& observation) {
  constexpr double kMuchDb = 1;
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return true;
  return !(std::abs(*observation.bare_sqnr_db - *observation.observed_sqnr_db) <= kMuchDb);
}

bool is_off(const Observation& observation) {
  if (!observation.reference_sqnr_db) return false;
  const double enough = observation.bare_sqnr_db
                            ? std::min(kRoundingDb, *observation.bare_sqnr_db + kFarBelowDb)
                            : kRoundingDb;
  return *observation.reference_sqnr_db < enough;
}

}  // namespace

void add_observation(const Observation& observation, Diagnosis& diagnosis) {
  std::vector<Finding> found;
  if (!observation.is_steady) {
    found.push_back(finding_of(
        "however its values are looked at, the quantized model's outputs are not those of the bare "
        "file: figures of values inside are of a model that computes something else",
        {}, "problem"));
  } else if (!observation.unseen.empty()) {
    found.push_back(finding_of(
        fmt::format("the runtime computes {} in another way, fused with neighbours, when nobody "
                    "looks at their results{}; all figures are of the file as it is deployed, and "
                    "these results are not compared",
                    names_of(observation.unseen), losses(observation)),
        observation.unseen, matters(observation) ? "problem" : "note"));
  } else if (observation.apart) {
    found.push_back(finding_of(
        fmt::format(
            "run beside the float model in one session, the quantized one computes something "
            "else{}; so they were run apart, and all figures are of the file as it is "
            "deployed",
            losses(observation)),
        {}, matters(observation) ? "warning" : "note"));
  }
  if (is_off(observation)) {
    found.push_back(finding_of(
        fmt::format("the float model's outputs keep {:.1f} dB of themselves when its values are "
                    "looked at: figures are of a float model that computes a little differently",
                    *observation.reference_sqnr_db),
        {}, "warning"));
  }
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    if (one->severity == "note") {  // it changes nothing that is told
      diagnosis.findings.push_back(*one);
      continue;
    }
    if (one->severity == "problem") {
      std::string sentence = one->because;
      sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
      diagnosis.verdict = sentence + ". " + diagnosis.verdict;
    }
    diagnosis.findings.insert(diagnosis.findings.begin(), *one);
  }
}

}  // namespace quantlens
