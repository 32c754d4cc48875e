// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/frontend/onnx/source.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

std::vector<std::string> read_by(const Node& node) {
  std::vector<std::string> names = node.inputs;
  const std::vector<std::string> captured = captured_values(node);
  names.insert(names.end(), captured.begin(), captured.end());
  return names;
}

/// Whether no node of the graph reads what a later one makes.
bool is_sorted(const Graph& graph) {
  std::unordered_set<std::string_view> later;
  for (const Node& node : graph.nodes) later.insert(node.outputs.begin(), node.outputs.end());
  later.erase("");
  for (const ValueInfo& input : graph.inputs) later.erase(input.name);
  for (const auto& [name, weight] : graph.weights) later.erase(name);
  return std::ranges::all_of(graph.nodes, [&](const Node& node) {
    const std::vector<std::string> names = read_by(node);
    if (std::ranges::any_of(names, [&](const auto& name) { return later.contains(name); }))
      return false;
    for (const std::string& name : node.outputs) later.erase(name);
    return true;
  });
}

bool is_sorted_inside(const Graph& graph) {
  return is_sorted(graph) && std::ranges::all_of(graph.nodes, [](const Node& node) {
           return std::ranges::all_of(
               node.subgraphs, [](const auto& body) { return is_sorted_inside(*body.second); });
         });
}

/// What the nodes read that none of them makes.
std::set<std::string> outer_values(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes) {
    for (std::string& name : read_by(node)) names.insert(std::move(name));
  }
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.outputs) names.erase(name);
  }
  return names;
}

}  // namespace

void sort_nodes(Graph& graph) {
  if (!is_sorted(graph)) {
    std::vector<Node> sorted;
    for (const std::size_t n : topological_order(graph, outer_values(graph)))
      sorted.push_back(std::move(graph.nodes[n]));
    graph.nodes = std::move(sorted);
  }
  for (Node& node : graph.nodes) {
    for (auto& [key, body] : node.subgraphs) {
      if (is_sorted_inside(*body)) continue;
      auto sorted = std::make_shared<Graph>(*body);
      sort_nodes(*sorted);
      body = std::move(sorted);
    }
  }
}

}  // namespace quantlens::onnx
