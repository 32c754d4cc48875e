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
/// that one; where it only sums what cannot be negative (a filter bank over a spectrum), so on from
/// what it reads; and where it transforms a signal (only linear ops lie between it and the
/// network's inputs, as in a spectrum or its decimation by octaves), all of these, since a small
/// result is the sum of large terms that cancel, and keeps the rounding of each. It ends where
/// ratios no longer count: at constants that are added and not small, at what Softmax, Exp and the
/// like read. Takes time in proportion to the graph.
std::map<std::size_t, std::string> find_before_logarithms(const GraphIndex& index);

}  // namespace quantlens
