// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "quantlens/record/plan.h"

namespace quantlens {

/// Wherever a plan's ops are counted, for people and in records, all are but constants, which
/// compute nothing.
constexpr bool is_counted(Kind kind) {
  return kind != Kind::constant;
}

/// How many of the ops that are counted have codes, and how many stay as they are.
struct OpCounts {
  std::uint64_t quantized = 0;  ///< those whose weights alone have codes, too
  std::uint64_t in_float = 0;   ///< all others
  std::uint64_t all() const { return quantized + in_float; }
  void add(Kind kind, bool is_quantized) {
    if (is_counted(kind)) ++(is_quantized ? quantized : in_float);
  }
};

OpCounts op_counts(const std::vector<OpPlan>& ops);

}  // namespace quantlens
