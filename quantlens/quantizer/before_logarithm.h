// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Nodes whose rounding a logarithm would magnify, with the reason to show. A logarithm tells
/// values apart by their ratio, and 8 bits have one step for all: what is below a 255th of the
/// range becomes zero. These are the ops between a Log and the Conv, MatMul or Gemm before it, and
/// that one; and, where it only sums what cannot be negative (a filter bank over a spectrum), so on
/// from what it reads. It ends where ratios no longer count: at constants that are added and not
/// small, at Softmax, Exp and the like. Takes time in proportion to the graph.
std::map<std::size_t, std::string> find_before_logarithms(const GraphIndex& index);

}  // namespace quantlens
