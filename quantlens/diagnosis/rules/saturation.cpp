// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/cpu.h"
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// Arithmetic itself goes wrong: two products of 8 bits exceed 16 on CPUs without VNNI.
std::optional<Cause> saturation(const Evidence& evidence, const ActivationRow& row) {
  const WeightPair* pair = evidence.weight_pair(row.op.id);
  if (cpu_has_vnni() || pair == nullptr || part(row.other_mse, row) < 0.5) return {};
  if (pair->scheme.dtype != DType::int8 || pair->in_blocks) return {};
  return Cause{.reasons = {{"saturation", {{"part", figure::share(part(row.other_mse, row))}}}},
               .ops = {row.op},
               .remedy = {{"reduce_range", "true"}},
               .shared = "saturation"};
}

}  // namespace quantlens
