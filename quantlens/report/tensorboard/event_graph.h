// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "quantlens/graph/outline.h"
#include "quantlens/report/tensorboard/event_names.h"

namespace quantlens {

using EventAttribute = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                                    std::vector<std::int64_t>>;

/// What a graph's node tells beside what its file says.
struct NodeNotes {
  std::string device;  ///< TensorBoard colours by it: what the node computes in; empty: not known
  std::map<std::string, EventAttribute> told;
};
using GraphNotes = std::unordered_map<std::string, NodeNotes>;  ///< by an op's id

/// A network as TensorFlow's GraphDef: inputs are Placeholder, weights Const, ops have their type.
/// Nodes are called as `names` has them; edges lead from the node that makes a value, from its
/// output number k > 0 by ":k". Shapes stand in `_output_shapes`, element types in `dtype`.
std::string graph_def(const GraphOutline& graph, const EventNames& names, const GraphNotes& notes);

}  // namespace quantlens
