// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// The weight's scales are not those of its channels: swapped, or wrong by a factor.
std::optional<Cause> weight_scales(const Evidence& evidence, const ActivationRow& row) {
  const WeightRow* weight = evidence.weight(row.op.id);
  if (weight == nullptr || weight->misfit_share < 0.5) return {};
  if (part(row.weight_mse, row) + part(row.other_mse, row) < 0.5) return {};
  return Cause{.reasons = {{"weight_scales",
                            {{"wrong", figure::count(weight->misfit_channels)},
                             {"channels", figure::count(weight->channels)},
                             {"weight_sqnr", figure::decibels(weight->sqnr_db)}}}},
               .ops = {row.op},
               .remedy = for_ops({row.op}, {{"weight", {{"granularity", "per_channel"}}}}),
               .shared = {}};
}

}  // namespace quantlens
