// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// A few channels decide the range of all: the others have few codes.
std::optional<Cause> outlier_channel(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kWide = 8;  // 3 bits
  if (part(row.rounding_mse, row) < 0.5 || row.channel_spread.value_or(1) < kWide) return {};
  const std::vector<std::string> ops = evidence.ops_at(row);
  return Cause{
      .because = fmt::format("its widest channel reaches {:.0f} times as far as the median "
                             "one, which is left with {:.0f} of 256 codes",
                             *row.channel_spread, 256 / *row.channel_spread),
      .ops = ops,
      .remedy = in_float(ops),
      .shared = {}};
}

}  // namespace quantlens
