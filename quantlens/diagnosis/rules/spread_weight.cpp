// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// One scale for all channels of a weight that differ in width.
std::optional<Cause> spread_weight(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kWide = 4;  // 2 bits
  const WeightRow* weight = evidence.weight(row.op);
  if (weight == nullptr || weight->granularity != "per_tensor") return {};
  if (weight->channel_spread < kWide || part(row.weight_mse, row) < 0.5) return {};
  return Cause{
      .because = fmt::format("its weight has one scale for {} channels, the widest {:.0f} times as "
                             "wide as the median one (channel {} keeps {:.1f} dB)",
                             weight->channels, weight->channel_spread, weight->worst_channel,
                             weight->worst_channel_sqnr_db),
      .ops = {row.name},
      .remedy = for_ops({row.name}, {{"weight", {{"granularity", "per_channel"}}}}),
      .shared = {}};
}

}  // namespace quantlens
