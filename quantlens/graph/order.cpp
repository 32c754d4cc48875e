// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <unordered_set>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

using Names = std::unordered_set<std::string_view>;

/// What one graph gives its own nodes to read.
Names made_in(const Graph& graph) {
  Names names;
  for (const ValueInfo& input : graph.inputs) names.insert(input.name);
  for (const auto& [name, weight] : graph.weights) names.insert(name);
  for (const std::string& name : graph.opaque_weights) names.insert(name);
  for (const Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

/// Appends to `out`, once each, what `graph` reads and does not make. REQUIRES: `seen` are those in
/// `out`. The recursion is as deep as the graphs are nested, which their reader limits.
void add_captured(const Graph& graph, Names& seen, std::vector<std::string>& out) {
  const Names made = made_in(graph);
  const auto read = [&](const std::string& name) {
    if (name.empty() || made.contains(name) || seen.contains(name)) return;
    out.push_back(name);
    seen.insert(name);  // keys are views of `name` in the graph, which outlives this call
  };
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) read(name);
    for (const auto& [key, body] : node.subgraphs) {
      Names inner_seen;
      std::vector<std::string> inner;
      add_captured(*body, inner_seen, inner);
      // Views of `inner` would dangle; those of `inner_seen` are names in the body itself.
      for (const std::string& name : inner) {
        const auto view = inner_seen.find(name);
        if (made.contains(*view) || !seen.insert(*view).second) continue;
        out.push_back(name);
      }
    }
  }
  for (const ValueInfo& output : graph.outputs) read(output.name);
}

/// The value that a Constant node stands for, whichever attribute holds it.
std::optional<Tensor> constant_value(const Node& node) {
  const auto get = [&](const std::string& key) -> const Attribute* {
    const auto found = node.attributes.find(key);
    return found == node.attributes.end() ? nullptr : &found->second;
  };
  if (const Attribute* a = get("value"); a && std::holds_alternative<Tensor>(*a)) {
    return std::get<Tensor>(*a);
  }
  if (const Attribute* a = get("value_float"); a && std::holds_alternative<float>(*a)) {
    return Tensor::scalar(std::get<float>(*a));
  }
  if (const Attribute* a = get("value_int"); a && std::holds_alternative<std::int64_t>(*a)) {
    return Tensor::scalar(std::get<std::int64_t>(*a));
  }
  if (const Attribute* a = get("value_floats");
      a && std::holds_alternative<std::vector<float>>(*a)) {
    const auto& values = std::get<std::vector<float>>(*a);
    return Tensor::from<float>({static_cast<std::int64_t>(values.size())}, values);
  }
  if (const Attribute* a = get("value_ints");
      a && std::holds_alternative<std::vector<std::int64_t>>(*a)) {
    const auto& values = std::get<std::vector<std::int64_t>>(*a);
    return Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  }
  return std::nullopt;
}

/// For each node, those that make what it reads (its subgraphs' reads included), no node twice.
/// Throws where nothing makes a value.
std::vector<std::vector<std::size_t>> dependencies(const Graph& graph,
                                                   const std::set<std::string>& outer) {
  std::unordered_map<std::string_view, std::size_t> producers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].outputs) {
      if (!name.empty()) producers.emplace(name, i);
    }
  }
  Names given = made_in(graph);
  given.insert(outer.begin(), outer.end());
  std::vector<std::vector<std::size_t>> needs(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const auto read = [&](const std::string& name) {
      if (name.empty()) return;
      if (const auto found = producers.find(name); found != producers.end()) {
        needs[i].push_back(found->second);
      } else if (!given.contains(name)) {
        throw Error(Errc::bad_input, "node '" + printable(op_name(node)) + "' reads '" +
                                         printable(name) + "', which nothing makes");
      }
    };
    for (const std::string& name : node.inputs) read(name);
    for (const std::string& name : captured_values(node)) read(name);
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

GraphIndex::GraphIndex(const Graph& graph, const TensorMap& computed) : graph_(&graph) {
  producers_.reserve(graph.nodes.size());
  uses_.reserve(graph.nodes.size() + graph.weights.size());
  constants_.reserve(computed.size() + graph.weights.size());
  constants_.insert(computed.begin(), computed.end());
  for (const ValueInfo& input : graph.inputs) inputs_.insert(input.name);
  for (const ValueInfo& output : graph.outputs) outputs_.insert(output.name);
  for (const auto& [name, weight] : graph.weights) constants_.emplace(name, weight);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::size_t input = 0;
    for (const std::string& name : node.inputs) {
      if (!name.empty()) uses_[name].push_back({i, input});
      ++input;
    }
    for (const std::string& name : captured_values(node)) uses_[name].push_back({i, input++});
    for (const std::string& name : node.outputs) {
      if (!name.empty()) producers_.emplace(name, i);
    }
    if (node.kind != Kind::constant || node.outputs.empty()) continue;
    if (std::optional<Tensor> value = constant_value(node)) {
      constants_.emplace(node.outputs.front(), std::move(*value));
    }
  }
}

std::optional<std::size_t> GraphIndex::producer(const std::string& value) const {
  const auto found = producers_.find(value);
  if (found == producers_.end()) return std::nullopt;
  return found->second;
}

const std::vector<Use>& GraphIndex::uses(const std::string& value) const {
  static const std::vector<Use> kNone;
  const auto found = uses_.find(value);
  return found == uses_.end() ? kNone : found->second;
}

bool GraphIndex::is_input(const std::string& value) const {
  return inputs_.contains(value);
}

bool GraphIndex::is_output(const std::string& value) const {
  return outputs_.contains(value);
}

const Tensor* GraphIndex::constant(const std::string& value) const {
  const auto found = constants_.find(value);
  return found == constants_.end() ? nullptr : &found->second;
}

std::vector<std::string> captured_values(const Node& node) {
  std::vector<std::string> out;
  Names seen;
  for (const auto& [key, body] : node.subgraphs) add_captured(*body, seen, out);
  return out;
}

std::vector<std::size_t> topological_order(const Graph& graph, const std::set<std::string>& outer) {
  const std::vector<std::vector<std::size_t>> needs = dependencies(graph, outer);
  std::vector<std::vector<std::size_t>> readers(needs.size());
  std::vector<std::size_t> waiting(needs.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    waiting[i] = needs[i].size();
    for (const std::size_t need : needs[i]) readers[need].push_back(i);
    if (needs[i].empty()) ready.push(i);
  }
  std::vector<std::size_t> order;
  std::vector<bool> done(needs.size());
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    done[node] = true;
    for (const std::size_t reader : readers[node]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() < needs.size()) {
    const Node& node = graph.nodes[node_in_cycle(needs, done)];
    throw Error(Errc::bad_input,
                "the nodes form a cycle through '" + printable(op_name(node)) + "'");
  }
  return order;
}

}  // namespace quantlens
