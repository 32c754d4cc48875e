// The nodes of a graph that a SavedModel is frozen to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/frontend/graphdef/saved_parts.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/frontend/pieces.h"

namespace quantlens::graphdef {

using protobuf::Pieces;

/// A node that stays, under another name and with other inputs. Where it is to run, and notes of
/// TensorFlow's on it, go, but for the shapes of its results.
struct KeptNode {
  std::string name;
  const NodeParts* parts = nullptr;
  std::vector<std::string> inputs;
};
Pieces kept_node(const KeptNode& node);

/// A ResourceGather or ResourceGatherNd as a gather of the constant that its variable has become.
void add_gather(const KeptNode& node, Pieces& graph);

Pieces placeholder_node(const std::string& name, const SavedEnd& input);
Pieces identity_node(const std::string& name, const std::string& input, std::int64_t type);

/// A Const of elements that are `type` to TensorFlow. REQUIRES: the value outlives it.
Pieces frozen_node(const std::string& name, std::int64_t type, const Tensor& value);

}  // namespace quantlens::graphdef
