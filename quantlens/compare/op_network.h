// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "quantlens/graph/outline.h"

namespace quantlens {

/// What an op reads, or who reads it.
struct NetworkLink {
  enum class From : std::uint8_t { nothing, input, constant, op };
  From from = From::nothing;
  std::size_t number = 0;  ///< of the op, or of the model's input
  std::size_t place =
      0;  ///< of an op's outputs; of a reader's inputs (0 where their order is free)
  std::uint64_t label = 0;  ///< of an input or a constant: what it looks like
};

/// An op as structure sees it: without its names.
struct NetworkOp {
  std::uint64_t strong = 0;  ///< hash of type, attributes, shapes of weights and of what it makes
  std::uint64_t weak = 0;    ///< of type and shapes of weights alone
  /// Hashes of all that it is computed from, and of all that is computed from it; 0: in a circle.
  std::uint64_t before = 0, behind = 0;
  bool free_order = false;  ///< of its inputs
  /// It computes nothing: constants and Identity. Others are wired through it.
  bool is_wire = false;
  std::vector<NetworkLink> reads, readers;
  std::vector<std::size_t> model_outputs;  ///< numbers of those that it makes
};

/// A network by its structure. Names tell what is wired to what, and nothing else.
struct OpNetwork {
  std::vector<NetworkOp> ops;  ///< as GraphOutline::ops
};

/// Takes time in proportion to the links of the graph. Batch extents and those without a number
/// look alike.
OpNetwork op_network(const GraphOutline& graph);

/// Mixes two hashes; the order counts.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

/// FNV-1a, and then mixed: the same on all machines.
std::uint64_t hash_of(std::string_view text);

}  // namespace quantlens
