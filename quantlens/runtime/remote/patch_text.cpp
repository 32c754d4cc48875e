// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/patch_text.h"

#include <set>
#include <string_view>

#include <boost/pfr/tuple_size.hpp>

namespace quantlens::remote {

// What nodes are copies of (two fields) stays here: a worker has no file of the other model.
static_assert(boost::pfr::tuple_size_v<Patch> == 4, "a new field of Patch has to travel, too");

namespace {

/// Whatever is read and not made here is an input.
Graph graph_of(const std::vector<Node>& nodes) {
  Graph graph;
  std::set<std::string_view> known;
  for (const Node& node : nodes) {
    for (const std::string& input : node.inputs) {
      if (!input.empty() && known.insert(input).second) {
        graph.inputs.push_back({.name = input, .dtype = {}, .shape = {}});
      }
    }
    known.insert(node.outputs.begin(), node.outputs.end());
  }
  graph.nodes = nodes;
  return graph;
}

}  // namespace

PatchText text_from(const Patch& patch, Body& body) {
  PatchText text;
  for (const auto& [name, tensor] : patch.weights) {
    text.weights.push_back(add_tensor(name, tensor, body));
  }
  for (const auto& [value, nodes] : patch.nodes) {
    text.values.push_back({.value = value, .nodes = text_from(graph_of(nodes), {}, body)});
  }
  return text;
}

Patch patch_from(const PatchText& text, const Payload& body) {
  Patch patch;
  for (const TensorText& weight : text.weights) {
    patch.weights.emplace_back(weight.name, tensor_from(weight, body));
  }
  for (const PatchedText& value : text.values) {
    patch.nodes[value.value] = graph_from(value.nodes, body, {}).nodes;
  }
  return patch;
}

}  // namespace quantlens::remote
