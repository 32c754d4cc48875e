// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/op_counts.h"

namespace quantlens {

OpCounts op_counts(const std::vector<OpPlan>& ops) {
  OpCounts counts;
  for (const OpPlan& op : ops) counts.add(op.kind, op.quantized);
  return counts;
}

}  // namespace quantlens
