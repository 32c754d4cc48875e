// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "quantlens/base/words.h"
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {
namespace {

/// SQNR of the activation that shows a change, alone where that was measured.
double shown_db(const Evidence& evidence, const Change& change) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.value == change.value || row.op == change.op)
      lowest = std::min(lowest, row.local_sqnr_db.value_or(row.sqnr_db));
  }
  return lowest;
}

}  // namespace

/// What the two files do otherwise without any quantization, which leads.
std::vector<Finding> changed(const Evidence& evidence) {
  std::vector<Change> changes = evidence.pairing().changes;
  std::ranges::move(shifted_codes(evidence), std::back_inserter(changes));
  std::ranges::stable_sort(changes, [&](const Change& a, const Change& b) {
    return shown_db(evidence, a) < shown_db(evidence, b);
  });
  std::vector<Finding> findings;
  findings.reserve(changes.size());
  for (Change& change : changes) {
    findings.push_back({.rule = std::string(word(change.rule)),
                        .op = change.ops.front(),
                        .ops = std::move(change.ops),
                        .reasons = std::move(change.reasons),
                        .remedy = {},
                        .severity = usual_severity(evidence)});
  }
  return findings;
}

bool is_changed(const Finding& finding) {
  return !finding.output_share && from_word<ChangeRule>(finding.rule);
}

}  // namespace quantlens
