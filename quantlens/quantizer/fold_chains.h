// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/quantizer/affine.h"
#include "quantlens/quantizer/prepare.h"

namespace quantlens {

/// The number of dimensions of a graph's values, where it is known (graph/ranks.h).
using Ranks = std::unordered_map<std::string, std::size_t>;

/// The channels that a Conv, ConvTranspose, Gemm or MatMul of a constant weight makes; nothing for
/// other ops, and for weights that have no such channels.
std::optional<ChannelAxis> channels_of(const Node& node, const Shape& weight, const Ranks& ranks);

/// Folds into a Conv, ConvTranspose, Gemm or MatMul the ops behind it that multiply each of its
/// output channels by one constant or add one to it: Mul, Div, Add and Sub, whatever the form of
/// their constant, and BatchNormalization. It ends where a value has other readers, is an output of
/// the graph or belongs to what stays float, and where folded numbers would not be finite. A MatMul
/// has no bias: the first Add of a chain stays, as one, and takes what is behind it.
///
/// Returns the nodes of the chain in order, that Add among them; adds what changes to `prepared`.
std::vector<std::size_t> fold_chain(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                    Prepared& prepared);

/// Likewise of a chain that goes through ops which only move elements (moved_channels.h), and in
/// which something stands behind one of them. What moves stays. Returns what was folded: each op,
/// and which of its inputs is the data.
std::vector<Use> fold_chain_through(const GraphIndex& index, const Ranks& ranks, std::size_t anchor,
                                    Prepared& prepared);

}  // namespace quantlens
