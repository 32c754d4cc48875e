// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// Neither codes nor the weight can make so much error: the two ops do not compute the same.
std::optional<Cause> unexplained(const Evidence&, const ActivationRow& row) {
  const double other = part(row.other_mse, row);
  if (other < 0.5) return {};
  return Cause{
      .because = fmt::format("rounding of its inputs, weight and result cannot make {:.0f} % "
                             "of its error: its bias, an attribute or the arithmetic is "
                             "another one",
                             100 * other),
      .ops = {row.name},
      .remedy = in_float({row.name}),
      .shared = {}};
}

}  // namespace quantlens
