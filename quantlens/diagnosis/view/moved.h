// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/order.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Sets `same_as` of pairs whose both sides are the sides of another pair, moved by Reshape,
/// Transpose and the like, or whose value is another's, moved, while both have one quantized side:
/// all statistics of the elements are equal, so they are gathered once.
void mark_moved(const GraphIndex& reference, const GraphIndex& quantized, Pairing& pairing);

}  // namespace quantlens
