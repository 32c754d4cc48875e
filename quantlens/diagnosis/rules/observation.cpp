// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/observation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

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

std::string in_decibels(double value) {
  if (std::isfinite(value)) return fmt::format("{:.1f} dB", value);
  return value > 0 ? "all (no error)" : "nothing (not finite)";
}

std::string losses(const Observation& observation) {
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return {};
  return fmt::format(
      ": the outputs of the first samples keep {} of SQNR as the file is deployed, and would be "
      "told as {}",
      in_decibels(*observation.bare_sqnr_db), in_decibels(*observation.observed_sqnr_db));
}

/// Whether what would have been told is another loss.
bool matters(const Observation& observation) {
  constexpr double kMuchDb = 1;
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return true;
  if (*observation.bare_sqnr_db == *observation.observed_sqnr_db) return false;  // both infinite
  return !(std::abs(*observation.bare_sqnr_db - *observation.observed_sqnr_db) <= kMuchDb);
}

/// What the runtime runs for ops that cannot be looked at, as far as its graphs show it.
std::string nodes_of(const std::vector<Fusion>& fusions) {
  std::vector<std::string> nodes;
  for (const Fusion& one : fusions) {
    if (!one.node.empty() && std::ranges::find(nodes, one.node) == nodes.end())
      nodes.push_back(one.node);
  }
  if (nodes.empty()) return "in another way, fused with neighbours,";
  return fmt::format("inside {},", fmt::join(nodes, " and "));
}

/// What the runtime does with these ops, and what to do.
std::string unseen_words(const Observation& observation) {
  const bool is_one = observation.unseen.size() == 1;
  const bool makes_weight = std::ranges::any_of(observation.fusions, &Fusion::makes_weight);
  const std::string weight =
      makes_weight ? ", by an int8 weight that it makes of the float one by itself" : "";
  const std::string left_out =
      observation.untried.empty()
          ? ""
          : fmt::format("; so are those of {}, which were not tried one by one",
                        names_of(observation.untried));
  const char* what_to_do =
      makes_weight
          ? "fold the constants behind the op into its weight and quantize that: "
            "`quantlens quantize` does so with the float model"
          : "quantize the float model with `quantlens quantize`, which reads back what the "
            "runtime makes of its file, or switch that optimisation off in the session";
  const bool loses = std::isfinite(observation.bare_sqnr_db.value_or(0));
  if (!matters(observation)) {
    return fmt::format(
        "the runtime computes {} {} when nobody looks at {}{}; that changes nearly nothing of the "
        "outputs, but {} not compared{}",
        names_of(observation.unseen), nodes_of(observation.fusions),
        is_one ? "its result" : "their results", weight,
        is_one ? "that result is" : "these results are", left_out);
  }
  return fmt::format(
      "the runtime computes {} {} when nobody looks at {}{}{}; all figures are of the file as it "
      "is deployed, and {} not compared{}{}",
      names_of(observation.unseen), nodes_of(observation.fusions),
      is_one ? "its result" : "their results", weight, losses(observation),
      is_one ? "that result is" : "these results are", left_out,
      loses ? fmt::format(". Where that loss is too much, {}", what_to_do) : "");
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

bool is_off(const Observation& observation) {
  if (observation.reference_others > 0) return true;
  if (!observation.reference_sqnr_db) return false;
  const double enough = observation.bare_sqnr_db
                            ? std::min(kRoundingDb, *observation.bare_sqnr_db + kFarBelowDb)
                            : kRoundingDb;
  return *observation.reference_sqnr_db < enough;
}

std::string reference_words(const Observation& observation) {
  std::string kept;
  if (observation.reference_others > 0) {
    const bool is_one = observation.reference_others == 1;
    kept = fmt::format("{} of the float model's outputs {} than its file gives",
                       counted(observation.reference_others, "element"),
                       is_one ? "is another" : "are others");
  } else {
    kept = fmt::format("the float model's outputs keep {} of those that its file gives",
                       in_decibels(*observation.reference_sqnr_db));
  }
  return kept +
         " when its values are looked at: figures are of a float model that computes a little "
         "differently, and what separates it from the file is in them, too";
}

}  // namespace

void add_observation(const Observation& observation, Diagnosis& diagnosis) {
  std::vector<Finding> found;
  if (!observation.is_steady) {
    found.push_back(finding_of(
        "however its values are looked at, the quantized model's outputs are not those of the bare "
        "file: figures of values inside are of a model that computes something else. Trust the "
        "accuracy, and what `quantlens evaluate` says of the file",
        {}, "problem"));
  } else if (!observation.unseen.empty()) {
    found.push_back(finding_of(unseen_words(observation), observation.unseen,
                               matters(observation) ? "problem" : "note"));
  } else if (!observation.untried.empty()) {
    found.push_back(finding_of(
        fmt::format("looking at some results of {} changes what the runtime computes{}; which ones "
                    "was not found in the tries that there are, so none of these is compared",
                    names_of(observation.untried), losses(observation)),
        observation.untried, matters(observation) ? "problem" : "note"));
  } else if (observation.apart) {
    found.push_back(finding_of(
        fmt::format("run beside the float model in one session, the quantized one computes "
                    "something else{}; so they were run apart, and all figures are of the file as "
                    "it is deployed: nothing is to be done",
                    losses(observation)),
        {}, matters(observation) ? "warning" : "note"));
  }
  if (is_off(observation)) {
    found.push_back(finding_of(reference_words(observation), {}, "warning"));
  }
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    if (one->severity == "note") {
      diagnosis.findings.push_back(*one);
      continue;
    }
    std::string sentence = one->because;
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
    diagnosis.verdict = sentence + ". " + diagnosis.verdict;
    diagnosis.findings.insert(diagnosis.findings.begin(), *one);
  }
}

}  // namespace quantlens
