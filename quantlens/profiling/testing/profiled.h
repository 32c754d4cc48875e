// Profiles and graphs as a runtime could have made them, written down: for this folder's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/profiling/attribute.h"
#include "quantlens/profiling/pair/join.h"

namespace quantlens {

/// A node of one output, named `<output>_op`.
inline Node node_of(Kind kind, std::vector<std::string> inputs, const std::string& output) {
  Node node;
  node.name = output + "_op";
  node.type = std::string(to_string(kind));
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

inline Node named(Node node, const std::string& name) {
  node.name = name;
  return node;
}

/// Of no kind.
inline Node typed(Node node, const std::string& type, Roles roles = {}) {
  node.type = type;
  node.kind = Kind::other;
  node.roles = std::move(roles);
  return node;
}

inline Graph graph_of(const std::vector<std::string>& inputs, std::vector<Node> nodes) {
  Graph graph;
  for (const std::string& input : inputs) {
    graph.inputs.push_back({.name = input, .dtype = DType::float32, .shape = {}});
  }
  graph.nodes = std::move(nodes);
  return graph;
}

/// An If or Loop whose body reads `captured`.
inline Node control_flow(const std::string& captured, const std::string& output) {
  auto body = std::make_shared<Graph>();
  body->nodes = {node_of(Kind::relu, {captured}, output + "_inner")};
  body->outputs = {{.name = output + "_inner", .dtype = DType::float32, .shape = {}}};
  Node node = node_of(Kind::control_flow, {"condition"}, output);
  node.type = "If";
  node.subgraphs["then_branch"] = body;
  return node;
}

/// quantlens's own profile of `run`: a time a node, in microseconds.
inline Profile profile_of(const Graph& run, const Graph& file, const std::vector<double>& us) {
  const std::vector<Attributed> attributed = attribute(run, file);
  Profile profile;
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    NodeTime row;
    row.name = op_name(run.nodes[i]);
    row.type = run.nodes[i].type;
    row.role = attributed[i].role;
    row.position = i;
    row.mean_us = us.at(i);
    profile.nodes_us += row.mean_us;
    profile.nodes.push_back(row);
  }
  profile.wall.mean_us = profile.wall.median_us = profile.nodes_us;
  return profile;
}

/// A model, what was run of it, and its profile.
struct Written {
  Graph file;
  Graph run;
  ValueTypes types;
  Profile profile;
  Written(Graph of_file, Graph of_run, const std::vector<double>& us)
      : file(std::move(of_file)), run(std::move(of_run)), profile(profile_of(run, file, us)) {}
  ProfiledModel profiled() const { return {file, run, types, profile}; }
};

/// shared/testdata, which may be absent.
inline fs::path testdata() {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  return named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/testdata";
}

}  // namespace quantlens
