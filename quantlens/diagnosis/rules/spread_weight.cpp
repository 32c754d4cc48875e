// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

namespace {

bool is_spread(const WeightRow& weight) {
  constexpr double kWide = 4;  // 2 bits
  return weight.granularity == Granularity::per_tensor && weight.channel_spread >= kWide;
}

/// All ops with such a weight: behind the error of one hides that of the next.
std::vector<OpRef> all_spread(const Evidence& evidence) {
  std::vector<OpRef> ops;
  for (const WeightRow& weight : evidence.diagnosis().weights) {
    if (is_spread(weight)) ops.push_back(weight.op);
  }
  return ops;
}

}  // namespace

/// One scale for all channels of a weight that differ in width.
std::optional<Cause> spread_weight(const Evidence& evidence, const ActivationRow& row) {
  const WeightRow* weight = evidence.weight(row.op.id);
  if (weight == nullptr || !is_spread(*weight) || part(row.weight_mse, row) < 0.5) return {};
  const std::vector<OpRef> ops = all_spread(evidence);
  return Cause{
      .reasons = {{"spread_weight",
                   {{"channels", figure::count(weight->channels)},
                    {"spread", figure::number(weight->channel_spread)},
                    {"worst_channel", figure::count(weight->worst_channel)},
                    {"worst_channel_sqnr", figure::decibels(weight->worst_channel_sqnr_db)}}}},
      .ops = ops,
      .remedy = for_ops(ops, {{"weight", {{"granularity", "per_channel"}}}}),
      .shared = "one scale for each weight"};
}

}  // namespace quantlens
