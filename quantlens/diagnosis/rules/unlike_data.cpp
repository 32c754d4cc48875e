// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// The model's own inputs do not fit the codes that calibration chose for them.
std::vector<Finding> unlike_data(const Evidence& evidence) {
  constexpr double kClipped = 0.02;
  constexpr double kWide = 2;
  constexpr double kSteps = 255;
  std::vector<Finding> findings;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (!evidence.reference().is_input(row.value) || !row.scale || row.elements == 0) continue;
    const double used = std::max(row.max, 0.0) - std::min(row.min, 0.0);
    const double reach = *row.scale * kSteps;
    const bool is_clipped = row.clip_rate >= kClipped;
    const bool is_wide = used > 0 && reach > kWide * used;
    if (!is_clipped && !is_wide) continue;
    findings.push_back(
        {.rule = "unlike_data",
         .op = row.name,
         .ops = {row.name},
         .because = fmt::format(
             "the input is {:.3g} to {:.3g} here, and the model was calibrated for {:.3g} times as "
             "much: {:.2g} % of it is clipped; is it prepared (scaled, mean taken away, channels "
             "in order) as in calibration, and as the float model wants it?",
             row.min, row.max, used > 0 ? reach / used : 0.0, 100 * row.clip_rate),
         .remedy = {},
         .severity = "problem",
         .output_share = row.output_share,
         .output_share_interval = row.output_share_interval});
  }
  return findings;
}

}  // namespace quantlens
