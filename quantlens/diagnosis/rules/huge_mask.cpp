// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// A mask (-1e4, -3.4e38) in the range: what is not masked shares a few codes.
std::optional<Cause> huge_mask(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kHuge = 1000;  // least magnitude of a mask
  constexpr double kApart = 100;  // times the rest's: nothing but masks is so far from it
  if (!row.scale) return {};
  const bool is_mostly_masked = row.median <= row.min / 2;
  const double rest = std::abs(is_mostly_masked ? row.max : row.median);
  const bool below = -row.min >= kHuge && -row.min >= kApart * std::max(1.0, rest);
  if (!below || row.max > kHuge || *row.scale < 1) return {};
  const std::vector<OpRef> ops = evidence.ops_at(row);
  return Cause{
      .reasons = {{"huge_mask",
                   {{"mask", figure::number(row.min)}, {"step", figure::number(*row.scale)}}}},
      .ops = ops,
      .remedy = in_float(ops),
      .shared = fmt::format("mask {:.3g}", row.min)};
}

}  // namespace quantlens
