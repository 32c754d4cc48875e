// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/diagnosis/rules/room.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

/// `times`: so many times finer its steps become, and rounding's energy by the square.
Cause with_minmax_because(const Evidence& evidence, const ActivationRow& row, double times,
                          Statement&& reason) {
  return {.reasons = {std::move(reason)},
          .ops = {row.op},
          .remedy = with_minmax(evidence, row),
          .shared = {},
          .measured = evidence.ops_at(row),
          .least_mended = 1 - 1 / (times * times)};
}

/// The codes reach farther beyond the values than those of the file's other values do: its maker
/// would not have chosen that scale.
std::optional<Cause> out_of_line(const Evidence& evidence, const ActivationRow& row) {
  const auto reach = evidence.reach(row);
  if (!reach) return {};
  const double times = room(row, *reach);
  const std::optional<UsualRoom>& usual = evidence.usual_room();
  if (!usual || !std::isfinite(times) || times <= std::max(1.0, usual->fence)) return {};
  return with_minmax_because(evidence, row, times,
                             {"wasted_range.out_of_line",
                              {{"reach", figure::number(times)},
                               {"usual_reach", figure::number(usual->middle)},
                               {"step", figure::number(row.scale.value_or(0))}}});
}

}  // namespace

/// The codes reach much farther than the values: most codes are never used.
std::optional<Cause> wasted_range(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kWasted = 3;  // 1.6 bits
  if (!row.scale || part(row.rounding_mse, row) < 0.5) return {};
  const std::int64_t steps = evidence.steps(row);
  const double reach = *row.scale * static_cast<double>(steps);
  const double used = std::max(row.max, 0.0) - std::min(row.min, 0.0);
  if (used <= 0 || evidence.inherits_scale(row)) return {};
  // which tells values apart by their ratio: no range has steps that are fine enough for it
  if (!evidence.ops_before_logarithm(row).empty()) return {};
  if (reach < kWasted * used) return out_of_line(evidence, row);
  return with_minmax_because(evidence, row, reach / used,
                             {"wasted_range",
                              {{"codes", figure::number(reach)},
                               {"values", figure::number(used)},
                               {"samples", figure::count(evidence.diagnosis().samples)},
                               {"used_steps", figure::number(used / *row.scale)},
                               {"steps", figure::count(static_cast<std::uint64_t>(steps))}}});
}

}  // namespace quantlens
