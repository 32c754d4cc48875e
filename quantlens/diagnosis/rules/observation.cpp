// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/observation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace quantlens {
namespace {

// Error that is a hundredth of what is told changes no figure.
constexpr double kFarBelowDb = 20;

/// What is lost as the file is deployed, and what would have been told; nothing where the first was
/// not known to be another.
Statements losses(const Observation& observation) {
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return {};
  return {{.says = "observation.losses",
           .figures = {{"deployed", figure::decibels(*observation.bare_sqnr_db)},
                       {"observed", figure::decibels(*observation.observed_sqnr_db)}}}};
}

/// Whether what would have been told is another loss.
bool matters(const Observation& observation) {
  constexpr double kMuchDb = 1;
  if (!observation.bare_sqnr_db || !observation.observed_sqnr_db) return true;
  if (*observation.bare_sqnr_db == *observation.observed_sqnr_db) return false;  // both infinite
  return !(std::abs(*observation.bare_sqnr_db - *observation.observed_sqnr_db) <= kMuchDb);
}

/// What the runtime runs for ops that cannot be looked at, as far as its graphs show it.
std::vector<std::string> nodes_of(const std::vector<Fusion>& fusions) {
  std::vector<std::string> nodes;
  for (const Fusion& one : fusions) {
    if (!one.node.empty() && std::ranges::find(nodes, one.node) == nodes.end())
      nodes.push_back(one.node);
  }
  return nodes;
}

/// What the runtime does with these ops, and what to do.
Statements about_unseen(const Observation& observation) {
  const bool makes_weight = std::ranges::any_of(observation.fusions, &Fusion::makes_weight);
  const bool is_another = matters(observation);
  Statements told{{.says = "observation.unseen",
                   .figures = {{"ops", figure::ops(observation.unseen)},
                               {"inside", figure::texts(nodes_of(observation.fusions))}}}};
  if (makes_weight) told.push_back({.says = "observation.makes_weight", .figures = {}});
  if (is_another) std::ranges::move(losses(observation), std::back_inserter(told));
  told.push_back({.says = is_another ? "observation.not_compared" : "observation.nearly_the_same",
                  .figures = {{"ops", figure::count(observation.unseen.size())}}});
  if (!observation.untried.empty()) {
    told.push_back({.says = "observation.neither_compared",
                    .figures = {{"ops", figure::ops(observation.untried)}}});
  }
  const bool loses = std::isfinite(observation.bare_sqnr_db.value_or(0));
  if (is_another && loses) {
    told.push_back(
        {.says = makes_weight ? "observation.fold_constants" : "observation.quantize_anew",
         .figures = {}});
  }
  return told;
}

Statements about_untried(const Observation& observation) {
  Statements told{
      {.says = "observation.untried", .figures = {{"ops", figure::ops(observation.untried)}}}};
  std::ranges::move(losses(observation), std::back_inserter(told));
  told.push_back({.says = "observation.none_compared", .figures = {}});
  return told;
}

Statements about_apart(const Observation& observation) {
  Statements told{{.says = "observation.apart", .figures = {}}};
  std::ranges::move(losses(observation), std::back_inserter(told));
  told.push_back({.says = "observation.run_apart", .figures = {}});
  return told;
}

Finding finding_of(Statements reasons, std::vector<OpRef> ops, Severity severity) {
  Finding finding;
  finding.rule = "observation";
  if (!ops.empty()) finding.op = ops.front();
  finding.ops = std::move(ops);
  finding.reasons = std::move(reasons);
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

Statement about_reference(const Observation& observation) {
  if (observation.reference_others > 0) {
    return {.says = "observation.other_elements",
            .figures = {{"elements", figure::count(observation.reference_others)}}};
  }
  return {.says = "observation.reference",
          .figures = {{"sqnr", figure::decibels(*observation.reference_sqnr_db)}}};
}

}  // namespace

void add_observation(const Observation& observation, Diagnosis& diagnosis) {
  const Severity where_it_matters = matters(observation) ? Severity::problem : Severity::note;
  std::vector<Finding> found;
  if (!observation.is_steady) {
    found.push_back(
        finding_of({{.says = "observation.unsteady", .figures = {}}}, {}, Severity::problem));
  } else if (!observation.unseen.empty()) {
    found.push_back(finding_of(about_unseen(observation), observation.unseen, where_it_matters));
  } else if (!observation.untried.empty()) {
    found.push_back(finding_of(about_untried(observation), observation.untried, where_it_matters));
  } else if (observation.apart) {
    found.push_back(finding_of(about_apart(observation), {},
                               matters(observation) ? Severity::warning : Severity::note));
  }
  if (is_off(observation)) {
    found.push_back(finding_of({about_reference(observation)}, {}, Severity::warning));
  }
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    if (one->severity == Severity::note) {
      diagnosis.findings.push_back(*one);
      continue;
    }
    Statements lead{{.says = "begin", .figures = {}}};
    lead.insert(lead.end(), one->reasons.begin(), one->reasons.end());
    lead.push_back({.says = "next", .figures = {}});
    diagnosis.conclusions.insert(diagnosis.conclusions.begin(), lead.begin(), lead.end());
    diagnosis.findings.insert(diagnosis.findings.begin(), *one);
  }
}

}  // namespace quantlens
