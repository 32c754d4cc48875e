// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// A few values lie far from all others: most codes stand for next to nothing.
std::optional<Cause> outlier_activation(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kFar = 20;  // standard deviations
  if (part(row.rounding_mse, row) < 0.5 || row.standard_deviation <= 0) return {};
  const double far = std::max(row.max - row.mean, row.mean - row.min) / row.standard_deviation;
  if (far < kFar) return {};
  const std::vector<OpRef> ops = evidence.ops_at(row);
  return Cause{.reasons = {{"outlier_activation",
                            {{"distance", figure::number(far)},
                             {"step", figure::number(row.scale.value_or(0))},
                             {"step_in_deviations",
                              figure::number(row.scale.value_or(0) / row.standard_deviation)}}}},
               .ops = ops,
               .remedy = in_float(ops),
               .shared = {}};
}

}  // namespace quantlens
