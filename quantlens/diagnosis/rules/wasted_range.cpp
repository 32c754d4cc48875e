// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quant/params.h"

namespace quantlens {

/// The codes reach much farther than the values: most codes are never used.
std::optional<Cause> wasted_range(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kWasted = 3;  // 1.6 bits
  constexpr double kCodes = 255;
  if (!row.scale || part(row.rounding_mse, row) < 0.5) return {};
  const double reach = *row.scale * kCodes;
  const double used = std::max(row.max, 0.0) - std::min(row.min, 0.0);
  if (used <= 0 || reach < kWasted * used) return {};
  return Cause{.because = fmt::format("its codes reach over {:.3g}, its values over {:.3g} only: "
                                      "{:.0f} of 255 steps are used",
                                      reach, used, used / *row.scale),
               .ops = {row.name},
               .remedy = with_minmax(evidence, row),
               .shared = {}};
}

}  // namespace quantlens
