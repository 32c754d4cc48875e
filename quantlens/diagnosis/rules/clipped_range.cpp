// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// The codes do not reach as far as the values: most of what begins here is clipped.
std::optional<Cause> clipped_range(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kMost = 0.5;
  if (part(row.clipping_mse, row) < kMost) return {};
  return Cause{.reasons = {{"clipped_range",
                            {{"codes", figure::numbers({row.quantized_min, row.quantized_max})},
                             {"values", figure::numbers({row.min, row.max})},
                             {"clipped", figure::share(row.clip_rate)},
                             {"part", figure::share(part(row.clipping_mse, row))}}}},
               .ops = {row.op},
               .remedy = with_minmax(evidence, row),
               .shared = {},
               .measured = evidence.ops_at(row)};
}

}  // namespace quantlens
