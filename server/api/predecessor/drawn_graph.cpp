// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/drawn_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "server/api/predecessor/attribute.h"

namespace quantlens::server {
namespace {

constexpr const char* kInput = "Input node";

std::string scoped(std::string_view scope, std::string_view value) {
  return fmt::format("{}\n{}", scope, value);
}

/// The scope around a scope; nothing around the outermost.
std::optional<std::string_view> around(std::string_view scope,
                                       const std::unordered_map<std::string, std::string>& scopes) {
  const auto found = scopes.find(std::string(scope));
  return found == scopes.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

/// Which node makes a value, as one of a scope sees it.
class Makers {
 public:
  explicit Makers(const std::vector<DrawnOp>& ops) {
    for (const DrawnOp& op : ops) scopes_.emplace(op.op, op.scope);  // a body is named by its op
  }
  void add(std::string_view scope, const std::string& value, std::size_t node) {
    if (!value.empty()) makers_.emplace(scoped(scope, value), node);
  }
  std::optional<std::size_t> find(std::string_view scope, std::string_view value) const {
    for (std::optional<std::string_view> at = scope; at; at = around(*at, scopes_)) {
      const auto found = makers_.find(scoped(*at, value));
      if (found != makers_.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  std::unordered_map<std::string, std::size_t> makers_;
  std::unordered_map<std::string, std::string> scopes_;  // the scope that an op stands in
};

/// Names, but for those that several nodes have: these have their op's own id behind.
class Ids {
 public:
  Ids(const std::vector<std::string>& inputs, const std::vector<DrawnOp>& ops) {
    for (const std::string& input : inputs) ++count_[input];
    for (const DrawnOp& op : ops) ++count_[op.name];
  }
  std::string take(const std::string& name, const std::string& own) {
    const bool is_single = !name.empty() && count_.at(name) == 1;
    std::string id = is_single ? name : fmt::format("{} ({})", name, own);
    while (!taken_.insert(id).second) id += "'";
    return id;
  }

 private:
  std::unordered_map<std::string, std::size_t> count_;
  std::unordered_set<std::string> taken_;
};

boost::json::array attributes_of(const DrawnOp& op) {
  boost::json::array attributes;
  for (const auto& [name, text] : op.attributes) attributes.push_back(attribute_of(name, text));
  return attributes;
}

/// Of each node, what stands for it: its own id, or the outermost group that is not expanded.
std::vector<std::string> shown_groups(const DrawnGraph& graph,
                                      const std::set<std::string>& expanded) {
  std::unordered_map<std::string_view, std::size_t> sizes;
  for (const DrawnGraph::Node& node : graph.nodes) {
    for (const std::string_view group : groups_of(node.id)) ++sizes[group];
  }
  std::vector<std::string> shown;
  for (const DrawnGraph::Node& node : graph.nodes) {
    std::string group;
    for (const std::string_view one : groups_of(node.id)) {
      if (expanded.contains(std::string(one))) continue;
      if (sizes.at(one) > 1) group = one;
      break;
    }
    shown.push_back(std::move(group));
  }
  return shown;
}

boost::json::object node_json(const DrawnGraph::Node& node, bool is_highlighted) {
  boost::json::object made{{"id", node.id},
                           {"label", node.type},
                           {"highlight", is_highlighted},
                           {"properties", {{"name", node.name}, {"type", node.type}}},
                           {"node_type", "node"}};
  if (!node.attributes.empty()) made["attributes"] = node.attributes;
  return made;
}

std::string group_id(std::string_view group) {
  return fmt::format("node_group_{}", group);
}

boost::json::object group_json(const std::string& group, bool is_highlighted) {
  return {{"id", group_id(group)},
          {"label", group},
          {"group", group},
          {"highlight", is_highlighted},
          {"node_type", "group_node"}};
}

boost::json::array edges_json(const DrawnGraph& graph, const std::vector<std::string>& groups) {
  boost::json::array edges;
  std::unordered_set<std::string> seen;
  for (const auto& [from, to] : graph.edges) {
    const std::string source = groups[from].empty() ? graph.nodes[from].id : group_id(groups[from]);
    const std::string target = groups[to].empty() ? graph.nodes[to].id : group_id(groups[to]);
    const bool is_inside = !groups[from].empty() && groups[from] == groups[to];
    if (is_inside || !seen.insert(scoped(source, target)).second) continue;
    edges.push_back(boost::json::object{{"source", source}, {"target", target}});
  }
  return edges;
}

}  // namespace

DrawnGraph drawn_graph(const std::vector<std::string>& inputs, const std::vector<DrawnOp>& ops) {
  DrawnGraph graph;
  Makers makers(ops);
  Ids ids(inputs, ops);
  std::unordered_map<std::string_view, std::size_t> holders;  // of bodies
  for (const std::string& input : inputs) {
    makers.add("", input, graph.nodes.size());
    graph.nodes.push_back({ids.take(input, input), input, kInput, {}});
  }
  for (const DrawnOp& op : ops) {
    for (const std::string& output : op.outputs) makers.add(op.scope, output, graph.nodes.size());
    holders.emplace(op.op, graph.nodes.size());
    graph.nodes.push_back({ids.take(op.name, op.op), op.name, op.type, attributes_of(op)});
  }
  std::size_t node = inputs.size();
  for (const DrawnOp& op : ops) {
    for (const std::string& input : op.inputs) {
      if (const auto from = makers.find(op.scope, input)) graph.edges.emplace_back(*from, node);
    }
    // What a body reads of the graph around it, the op that holds the body waits for.
    const auto holder = holders.find(op.scope);
    if (!op.scope.empty() && holder != holders.end())
      graph.edges.emplace_back(holder->second, node);
    ++node;
  }
  return graph;
}

std::vector<std::string_view> groups_of(std::string_view id) {
  std::vector<std::string_view> groups;
  for (std::size_t at = id.find('/'); at != std::string_view::npos; at = id.find('/', at + 1)) {
    const std::string_view group = id.substr(0, at);
    // A name that begins with "/" lies in no group without a name.
    if (group.find_first_not_of('/') != std::string_view::npos) groups.push_back(group);
  }
  return groups;
}

boost::json::object shown_graph(const DrawnGraph& graph, const std::set<std::string>& expanded,
                                const std::set<std::size_t>& highlighted) {
  const std::vector<std::string> groups = shown_groups(graph, expanded);
  std::unordered_set<std::string_view> marked;
  for (const std::size_t node : highlighted) marked.insert(groups[node]);
  boost::json::array nodes;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (groups[i].empty()) {
      nodes.push_back(node_json(graph.nodes[i], highlighted.contains(i)));
    } else if (seen.insert(groups[i]).second) {
      nodes.push_back(group_json(groups[i], marked.contains(groups[i])));
    }
  }
  boost::json::object shown;
  boost::json::array edges = edges_json(graph, groups);
  // The predecessors leave out empty lists.
  if (!nodes.empty()) shown["nodes"] = std::move(nodes);
  if (!edges.empty()) shown["edges"] = std::move(edges);
  return shown;
}

std::optional<std::size_t> node_of(const DrawnGraph& graph, std::string_view name) {
  const auto has = [&](const DrawnGraph::Node& node) { return node.id == name; };
  const auto is_called = [&](const DrawnGraph::Node& node) { return node.name == name; };
  auto found = std::ranges::find_if(graph.nodes, has);
  if (found == graph.nodes.end()) found = std::ranges::find_if(graph.nodes, is_called);
  if (found == graph.nodes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

std::set<std::size_t> pattern_from(const DrawnGraph& graph, std::size_t first,
                                   const std::vector<std::string>& pattern) {
  std::set<std::size_t> found{first};
  std::size_t last = first;
  for (std::size_t i = 1; i < pattern.size(); ++i) {
    const auto next = std::ranges::find_if(graph.edges, [&](const auto& edge) {
      return edge.first == last && graph.nodes[edge.second].type == pattern[i];
    });
    if (next == graph.edges.end()) break;
    last = next->second;
    found.insert(last);
  }
  return found;
}

}  // namespace quantlens::server
