// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/graph/extents.h"
#include "quantlens/quantizer/prepare.h"

namespace quantlens {

/// Folds into a Conv, ConvTranspose, Gemm or MatMul with a constant weight (of a MatMul also its
/// first operand) the ops behind it that multiply each of its output channels by one constant or
/// add one to it: Mul, Div, Add, Sub and Neg, whatever the form of their constant, and
/// BatchNormalization. It ends where a value has other readers, is an output of the graph or
/// belongs to what stays float, and where folded numbers would not be finite or not be normal. A
/// MatMul has no bias: the first op of a chain that adds stays, and takes what is behind it.
///
/// Returns the nodes of the chain in order, that op among them; adds what changes to `prepared`.
std::vector<std::size_t> fold_chain(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared);

/// Likewise of a chain that goes through ops which only move elements (moved_channels.h), and in
/// which something stands behind one of them. What moves stays. Returns what was folded: each op,
/// and which of its inputs is the data.
std::vector<Use> fold_chain_through(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared);

}  // namespace quantlens
