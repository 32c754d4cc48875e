// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/graph/model.h"

namespace quantlens {

/// A node that the runtime runs in the place of several of the file's.
struct FusedNode {
  std::string node;           ///< "QLinearConv 'name'"
  bool makes_weight = false;  ///< it multiplies codes that the runtime made of a float weight
};

/// What computes `value` of a file inside itself, or what reads it: the first node behind it that
/// is in the graph which the runtime runs bare, and is another one, or none, where the value is
/// looked at; or, where that has another name, the only one in the bare graph alone that multiplies
/// codes. Nothing where the two graphs do not show it.
std::optional<FusedNode> fused_node(const Graph& file, const Graph& bare, const Graph& observed,
                                    const std::string& value);

}  // namespace quantlens
