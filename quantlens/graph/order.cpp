// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/order.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/names.h"
#include "quantlens/graph/stable_order.h"

namespace quantlens {
namespace {

using Names = std::unordered_set<std::string_view>;

std::vector<std::string_view> captured_names(const Node& node);

/// What one graph gives its own nodes to read.
Names made_in(const Graph& graph) {
  Names names;
  for_each_given(graph, [&](std::string_view name) { names.insert(name); });
  for (const Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

/// Appends to `out`, once each, what `graph` reads and does not make. REQUIRES: `seen` are those in
/// `out`. The recursion is as deep as the graphs are nested, which their reader limits.
void add_captured(const Graph& graph, Names& seen, std::vector<std::string_view>& out) {
  const Names made = made_in(graph);
  const auto read = [&](std::string_view name) {
    if (!name.empty() && !made.contains(name) && seen.insert(name).second) out.push_back(name);
  };
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) read(name);
    for (const std::string_view name : captured_names(node)) read(name);
  }
  for (const ValueInfo& output : graph.outputs) read(output.name);
}

/// As captured_values, views of the node.
std::vector<std::string_view> captured_names(const Node& node) {
  std::vector<std::string_view> out;
  Names seen;
  for (const auto& [key, body] : node.subgraphs) add_captured(*body, seen, out);
  return out;
}

/// For each node, those that make what it reads (its subgraphs' reads included), no node twice.
/// Throws where nothing makes a value.
std::vector<std::vector<std::size_t>> dependencies(const Graph& graph,
                                                   const std::set<std::string>& outer) {
  constexpr std::size_t kGiven = std::numeric_limits<std::size_t>::max();
  std::unordered_map<std::string_view, std::size_t> makers;
  makers.reserve(graph.nodes.size() + graph.weights.size() + outer.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].outputs) makers.emplace(name, i);
  }
  const auto give = [&](std::string_view name) { makers.emplace(name, kGiven); };
  for_each_given(graph, give);
  std::ranges::for_each(outer, give);
  std::vector<std::vector<std::size_t>> needs(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const auto read = [&](std::string_view name) {
      if (name.empty()) return;
      const auto found = makers.find(name);
      if (found == makers.end()) {
        throw Error(Errc::bad_input, "node '" + printable(op_name(node)) + "' reads '" +
                                         printable(name) + "', which nothing makes");
      }
      if (found->second != kGiven) needs[i].push_back(found->second);
    };
    for (const std::string& name : node.inputs) read(name);
    for (const std::string_view name : captured_names(node)) read(name);
    std::ranges::sort(needs[i]);
    needs[i].erase(std::unique(needs[i].begin(), needs[i].end()), needs[i].end());
  }
  return needs;
}

/// REQUIRES: every node that is not done waits for another that is not done.
std::size_t node_in_cycle(const std::vector<std::vector<std::size_t>>& needs,
                          const std::vector<bool>& done) {
  std::vector<bool> visited(needs.size());
  auto at = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
  while (!visited[at]) {
    visited[at] = true;
    at = *std::ranges::find_if(needs[at], [&](std::size_t need) { return !done[need]; });
  }
  return at;
}

}  // namespace

GraphIndex::GraphIndex(const Graph& graph, TensorMap computed)
    : graph_(&graph), computed_(std::move(computed)) {
  values_.reserve(graph.nodes.size() + graph.weights.size());
  for (const auto& [name, value] : computed_) values_[name].constant = &value;
  for (const ValueInfo& input : graph.inputs) values_[input.name].is_input = true;
  for (const ValueInfo& output : graph.outputs) values_[output.name].is_output = true;
  for (const auto& [name, weight] : graph.weights) {
    const Tensor*& constant = values_[name].constant;
    if (constant == nullptr) constant = &weight;
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) add_node(i);
}

void GraphIndex::add_node(std::size_t number) {
  const Node& node = graph_->nodes[number];
  std::size_t input = 0;
  const auto read = [&](std::string_view name) { values_[name].uses.push_back({number, input}); };
  for (const std::string& name : node.inputs) {
    if (!name.empty()) read(name);
    ++input;
  }
  for (const std::string_view name : captured_names(node)) {
    read(name);
    ++input;
  }
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    std::optional<std::size_t>& producer = values_[name].producer;
    if (!producer) producer = number;
  }
  if (node.kind != Kind::constant || node.outputs.empty()) return;
  const Tensor*& constant = values_[node.outputs.front()].constant;
  if (constant != nullptr) return;
  if (const auto* held = std::get_if<roles::ConstantValue>(&node.roles)) constant = &held->value;
}

const GraphIndex::Value& GraphIndex::at(std::string_view value) const {
  static const Value kUnknown;
  const auto found = values_.find(value);
  return found == values_.end() ? kUnknown : found->second;
}

std::vector<std::string> captured_values(const Node& node) {
  const std::vector<std::string_view> names = captured_names(node);
  return {names.begin(), names.end()};
}

std::vector<std::size_t> topological_order(const Graph& graph, const std::set<std::string>& outer) {
  const std::vector<std::vector<std::size_t>> needs = dependencies(graph, outer);
  std::vector<std::size_t> order = stable_order(needs);
  if (order.size() < needs.size()) {
    std::vector<bool> done(needs.size());
    for (const std::size_t node : order) done[node] = true;
    const Node& node = graph.nodes[node_in_cycle(needs, done)];
    throw Error(Errc::bad_input,
                "the nodes form a cycle through '" + printable(op_name(node)) + "'");
  }
  return order;
}

}  // namespace quantlens
