// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/unread.h"

#include "quantlens/frontend/onnx/write.h"

namespace quantlens::onnx {
namespace {

void drop_constant(const GraphIndex& index, const std::string& name, Edit& edit) {
  const Graph& graph = index.graph();
  if (graph.weights.contains(name)) {
    edit.removed_weights.insert(name);
    edit.values_dropped.insert(name);
  } else if (const auto producer = index.producer(name);
             producer && graph.nodes[*producer].kind == Kind::constant) {
    edit.removed.insert(*producer);
  }
}

void drop_unread_links(const Graph& graph, Edit& edit) {
  const auto read = read_counts(graph, edit);
  std::erase_if(edit.inserted, [&](const auto& inserted) {
    const Node& node = inserted.second;
    return node.type == "DequantizeLinear" && !read.contains(node.outputs[0]);
  });
}

void drop_unread_weights(const GraphIndex& index, Edit& edit) {
  const Graph& graph = index.graph();
  const auto read = read_counts(graph, edit);
  std::erase_if(edit.weights, [&](const auto& weight) { return !read.contains(weight.first); });
  std::set<std::size_t> changed = edit.removed;
  for (const auto& [number, inputs] : edit.inputs) changed.insert(number);
  for (const std::size_t number : changed) {
    for (const std::string& input : graph.nodes[number].inputs) {
      if (!read.contains(input)) drop_constant(index, input, edit);
    }
  }
}

void drop_unmade_values(const Graph& graph, Edit& edit) {
  std::set<std::string> made;
  for (const Node& node : edited_nodes(graph, edit, {})) {
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      if (!made.contains(output)) edit.values_dropped.insert(output);
    }
  }
}

}  // namespace

FreeNames names_of(const Graph& graph, const PlanEdit& plan) {
  FreeNames names(graph);
  for (const auto& [at, node] : plan.edit.inserted) {
    names.take(node.name);
    for (const std::string& output : node.outputs) names.take(output);
  }
  for (const auto& [node, outputs] : plan.edit.outputs) {
    for (const auto& [position, name] : outputs) names.take(name);
  }
  for (const auto& [name, tensor] : plan.edit.weights) names.take(name);
  for (const NewWeight& weight : plan.weights) names.take(weight.name);
  return names;
}

void drop_unread(const GraphIndex& index, Edit& edit) {
  drop_unread_links(index.graph(), edit);
  drop_unread_weights(index, edit);
  drop_unmade_values(index.graph(), edit);
}

}  // namespace quantlens::onnx
