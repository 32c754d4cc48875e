// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "quantlens/base/json.h"

namespace quantlens::server {

/// An op of graph.json, as much of it as is drawn.
struct DrawnOp {
  std::string op, name, type, scope;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::string> attributes;
};
BOOST_DESCRIBE_STRUCT(DrawnOp, (), (op, name, type, scope, inputs, outputs, attributes))

/// A network as the predecessors' interface draws it: nodes by what people call them, and what
/// goes from which to which.
struct DrawnGraph {
  struct Node {
    std::string id;    ///< its name; another text where several have it or it has none
    std::string name;  ///< as people see it
    std::string type;
    boost::json::array attributes;
  };
  std::vector<Node> nodes;                                 ///< inputs of the model first
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< numbers of nodes
};

/// `inputs`: names of the model's own.
DrawnGraph drawn_graph(const std::vector<std::string>& inputs, const std::vector<DrawnOp>& ops);

/// The groups that a node lies in, outermost first: "a/b/c" in "a" and "a/b", "/a/b" in "/a".
std::vector<std::string_view> groups_of(std::string_view id);

/// What is shown of a graph: groups of two and more nodes are one node each, but for those that are
/// expanded, and the nodes of `highlighted` are marked.
boost::json::object shown_graph(const DrawnGraph& graph, const std::set<std::string>& expanded,
                                const std::set<std::size_t>& highlighted);

/// The node of this name, or of this id.
std::optional<std::size_t> node_of(const DrawnGraph& graph, std::string_view name);

/// The node and, for each further type of the pattern, a node of that type behind the last one.
std::set<std::size_t> pattern_from(const DrawnGraph& graph, std::size_t first,
                                   const std::vector<std::string>& pattern);

}  // namespace quantlens::server
