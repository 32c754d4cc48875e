// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {
namespace {

/// How many times as far as the values the codes reach, on the side where they are closer.
double room(const ActivationRow& row, const std::array<double, 2>& reach) {
  const double above = row.max > 0 ? reach[1] / row.max : std::numeric_limits<double>::infinity();
  const double below = row.min < 0 ? reach[0] / row.min : std::numeric_limits<double>::infinity();
  return std::min(above, below);
}

}  // namespace

/// The model's own inputs do not fit the codes that calibration chose for them.
std::vector<Finding> unlike_data(const Evidence& evidence) {
  constexpr double kClipped = 0.02;
  constexpr double kWide = 2;
  std::vector<Finding> findings;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    const auto reach = evidence.reach(row);
    if (!evidence.is_input(row) || !reach || row.elements == 0) continue;
    const double times = room(row, *reach);
    const bool is_clipped = row.clip_rate >= kClipped;
    const bool is_wide = std::isfinite(times) && times > kWide;
    if (!is_clipped && !is_wide) continue;
    findings.push_back(
        {.rule = "unlike_data",
         .op = row.name,
         .ops = {row.name},
         .because = fmt::format(
             "the input is {:.3g} to {:.3g} here, the model was calibrated for {:.3g} to {:.3g}, "
             "and {:.2g} % of it is clipped: it may be prepared otherwise (scale, mean, order of "
             "channels) than for calibration, or than the float model wants it",
             row.min, row.max, (*reach)[0], (*reach)[1], 100 * row.clip_rate),
         .remedy = {},
         .severity = is_clipped ? "problem" : ""});
  }
  return findings;
}

}  // namespace quantlens
