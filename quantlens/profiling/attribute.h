// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/profile.h"

namespace quantlens {

/// What a node of the runtime's graph is, and which ops of the file it computes.
struct Attributed {
  NodeRole role = NodeRole::op;
  std::vector<std::size_t> ops;  ///< numbers of the file's nodes, ascending
};

/// For each node of `run`, the graph that a runtime made of `file`. A node belongs to the op that
/// makes one of its results, or whose name (op_name), or result's name, its own name begins with;
/// ops that no node belongs to were fused into that of their reader, or, for quantizers and
/// activations, of their producer. Ops that depend on no input have been computed while loading.
std::vector<Attributed> attribute(const Graph& run, const Graph& file);

/// For each node of `graph` the anchored node that it was fused into, itself if it is one; nothing
/// where there is none around it. By the rules of `attribute`.
std::vector<std::optional<std::size_t>> absorb(const Graph& graph,
                                               const std::vector<bool>& anchored);

}  // namespace quantlens
