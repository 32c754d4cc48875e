// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "quantlens/graph/extents.h"
#include "quantlens/quantizer/analyze/affine.h"
#include "quantlens/quantizer/analyze/output_channels.h"
#include "quantlens/quantizer/analyze/prepare.h"

namespace quantlens {

/// An op of a chain.
struct ChainLink {
  std::size_t node = 0;
  std::size_t input = 0;  ///< that reads the op before
  Affine affine;
  bool is_behind_move = false;  ///< elements are moved between the anchor and it
};

/// The ops behind an anchor that could be folded into it as far as their constants go. `stops`:
/// nodes that end the chain.
std::vector<ChainLink> chain_behind(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, const OutputChannels& channels,
                                    const std::map<std::size_t, std::string>& stops);

/// Folds into a Conv, ConvTranspose, Gemm or MatMul with a constant weight (of a MatMul also its
/// first operand) the ops behind it that multiply each of its output channels by one constant or
/// add one to it: Mul, Div, Add, Sub and Neg, whatever the form of their constant, and
/// BatchNormalization. It ends where a value has other readers, is an output of the graph or
/// belongs to what stays float, and where folded numbers would not be finite or not be normal. A
/// MatMul has no bias: the first op of a chain that adds stays, and takes what is behind it.
///
/// Returns the nodes of the chain in order, that op among them; adds what changes to `prepared`.
/// `like`: as prepare_like has it; then a chain ends behind the last of these ops, and one of them
/// that adds behind a MatMul leaves it nothing but a shift.
std::vector<std::size_t> fold_chain(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared,
                                    const std::set<std::string>* like = nullptr);

/// Likewise of a chain that goes through ops which only move elements (moved_channels.h), and in
/// which something stands behind one of them. What moves stays. Returns what was folded: each op,
/// and which of its inputs is the data.
std::vector<Use> fold_chain_through(const GraphIndex& index, const Extents& extents,
                                    std::size_t anchor, Prepared& prepared);

}  // namespace quantlens
