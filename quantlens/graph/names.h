// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Calls `seen(name)` for every value that a graph has before any of its nodes runs: inputs, and
/// weights of any type.
template <class F>
void for_each_given(const Graph& graph, const F& seen) {
  for (const ValueInfo& input : graph.inputs) seen(input.name);
  for (const auto& [name, weight] : graph.weights) seen(name);
  std::ranges::for_each(graph.opaque_weights, seen);
}

/// Likewise for every value that a graph or one of its bodies gives or makes. The recursion is as
/// deep as the graphs are nested, which their reader limits.
template <class F>
void for_each_name(const Graph& graph, const F& seen) {
  for_each_given(graph, seen);
  for (const Node& node : graph.nodes) {
    std::ranges::for_each(node.outputs, seen);
    for (const auto& [key, body] : node.subgraphs) for_each_name(*body, seen);
  }
}

/// Whether such a name begins like this: where none does, names with this prefix are free.
bool begins_a_name(const Graph& graph, std::string_view prefix);

}  // namespace quantlens
