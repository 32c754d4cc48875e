// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/trial_statement.h"

#include <algorithm>
#include <array>
#include <vector>

namespace quantlens {
namespace {

/// Whether a trial took away what the finding's share leaves no room for.
bool differs_from_share(const Finding& finding) {
  if (!finding.output_share_interval || !finding.measured_gain_interval) return false;
  const auto [low, high] = *finding.output_share_interval;
  const auto [least, most] = *finding.measured_gain_interval;
  return least > std::max(high, 0.0) || most < low || (low <= 0 && least > 0);
}

}  // namespace

Statements trial_statements(const Diagnosis& diagnosis) {
  std::vector<const Finding*> tried;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.measured_gain) tried.push_back(&finding);
  }
  if (tried.empty()) return {};
  const auto best = std::ranges::max_element(tried, {}, [](const Finding* finding) {
    return finding->measured_gain_interval.value_or(std::array{-1.0, 1.0})[0];
  });
  tried.erase(best + 1, tried.end());
  const Finding& last = *tried.back();
  Statements told;
  if (tried.size() == 1 && differs_from_share(last)) {
    told.push_back(
        {.says = "share_was_of", .figures = {{"samples", figure::count(diagnosis.local_samples)}}});
  }
  told.push_back({.says = "tried",
                  .figures = {{"samples", figure::count(diagnosis.samples)},
                              {"remedies", figure::count(tried.size())},
                              {"op", figure::op(tried.front()->op)},
                              {"gain", figure::share(*last.measured_gain)},
                              {"interval", figure::shares(last.measured_gain_interval.value_or(
                                               std::array{-1.0, 1.0}))}}});
  return told;
}

}  // namespace quantlens
