// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "quantlens/graph/order.h"

namespace quantlens {

/// The values that are linear (or affine) in the network's inputs: only sums by constant weights,
/// constants that are added, and moves of elements lie between. The inputs count, constants do not.
/// Takes time in proportion to the graph; nodes that stand before what they read end a chain.
std::unordered_set<std::string> find_linear_values(const GraphIndex& index);

/// Whether the op's result holds some elements of its first input, or of all in Concat, unchanged;
/// others may be left out, repeated or filled with a constant.
bool picks_elements(Kind kind);

}  // namespace quantlens
