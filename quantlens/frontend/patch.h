// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Nodes that make some of a model's values in place of those that make them now. Whoever reads
/// such a value, graph outputs and bodies included, then reads what they make.
struct Patch {
  std::vector<std::pair<std::string, Tensor>> weights;  ///< new ones, of new names
  /// By a value that is replaced: nodes without subgraphs, in order of flow, of which the last
  /// makes it under its own name. What they read comes before the node that made it, or from nodes
  /// of values before. A node without a type is to do what its kind and roles say (mul, max,
  /// quantize, dequantize): the frontend finds the format's words.
  std::map<std::string, std::vector<Node>> nodes;
  /// Of nodes that are ops of another model under other names: their op_id there, by their name
  /// here. For formats whose files say more than a Node does; it travels to no worker.
  std::map<std::string, std::string> copies = {};
  const Model* copied_from = nullptr;  ///< that model, of the same format; outlives this
  /// REQUIRES: names of values that the model does not have, where they are not replaced ones.
};

}  // namespace quantlens
