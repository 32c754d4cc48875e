// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/trial_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

std::string remedies_words(const std::vector<const Finding*>& tried) {
  if (tried.size() == 1) {
    return fmt::format("the remedy at {} takes", printable(tried.front()->op));
  }
  return fmt::format("{} remedies together, that at {} first, take", tried.size(),
                     printable(tried.front()->op));
}

std::string gain_words(const Finding& finding) {
  const auto [low, high] = finding.measured_gain_interval.value_or(std::array{-1.0, 1.0});
  const double gain = *finding.measured_gain;
  if (low <= 0 && high >= 0) {
    return fmt::format("no error away that these samples could tell ({} to {} %)",
                       whole_percent(low), whole_percent(high));
  }
  if (gain < 0) {
    return fmt::format("nothing away: there is {} % more error ({} to {})", whole_percent(-gain),
                       whole_percent(-high), whole_percent(-low));
  }
  return fmt::format("{} % ({} to {}) of the error away", whole_percent(gain), whole_percent(low),
                     whole_percent(high));
}

/// Whether a trial took away what the finding's share leaves no room for.
bool differs_from_share(const Finding& finding) {
  if (!finding.output_share_interval || !finding.measured_gain_interval) return false;
  const auto [low, high] = *finding.output_share_interval;
  const auto [least, most] = *finding.measured_gain_interval;
  return least > std::max(high, 0.0) || most < low || (low <= 0 && least > 0);
}

/// Why the two may differ, where they do.
std::string why_words(const Diagnosis& diagnosis, const Finding& finding) {
  if (!differs_from_share(finding)) return {};
  return fmt::format("Shares are of the first {}, in float within the model as it is. ",
                     counted(diagnosis.local_samples, "sample"));
}

}  // namespace

std::string trial_words(const Diagnosis& diagnosis) {
  std::vector<const Finding*> tried;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.measured_gain) tried.push_back(&finding);
  }
  if (tried.empty()) return {};
  const auto best = std::ranges::max_element(tried, {}, [](const Finding* finding) {
    return finding->measured_gain_interval.value_or(std::array{-1.0, 1.0})[0];
  });
  tried.erase(best + 1, tried.end());
  return fmt::format("{}Tried over all {} samples, {} {}.",
                     tried.size() == 1 ? why_words(diagnosis, *tried.back()) : "",
                     diagnosis.samples, remedies_words(tried), gain_words(*tried.back()));
}

}  // namespace quantlens
