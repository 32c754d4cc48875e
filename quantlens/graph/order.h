// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// One use of a value: input number `input` of node number `node`.
struct Use {
  std::size_t node = 0;
  std::size_t input = 0;
};

/// Who makes and who reads each value of one graph (its own nodes; a use inside a subgraph counts
/// as a use by the node that holds the subgraph, with `input` past its own inputs: their number
/// plus the position in `captured_values`). Views the graph, which must outlive it unchanged.
class GraphIndex {
 public:
  /// `computed`: values that are known to be constant though a node computes them.
  explicit GraphIndex(const Graph& graph, const TensorMap& computed = {});
  const Graph& graph() const { return *graph_; }
  /// The node that makes `value`; nothing for graph inputs, weights and unknown names.
  std::optional<std::size_t> producer(const std::string& value) const;
  const std::vector<Use>& uses(const std::string& value) const;
  bool is_input(const std::string& value) const;
  bool is_output(const std::string& value) const;
  /// The weight a name stands for: an initializer, the value of a Constant node, or one that is
  /// computed from such; else null.
  const Tensor* constant(const std::string& value) const;

 private:
  const Graph* graph_;
  std::unordered_map<std::string, std::size_t> producers_;
  std::unordered_map<std::string, std::vector<Use>> uses_;
  std::unordered_map<std::string, Tensor> constants_;
  std::unordered_set<std::string> inputs_;
  std::unordered_set<std::string> outputs_;
};

/// The values from outside that the subgraphs of `node` read, once each, in order of first use.
std::vector<std::string> captured_values(const Node& node);

/// A topological order of the nodes, stable (file order wherever that is possible). `outer`: values
/// from outside that a subgraph may read.
/// Throws Errc::bad_input naming a node of the cycle, or a value that nothing makes.
std::vector<std::size_t> topological_order(const Graph& graph,
                                           const std::set<std::string>& outer = {});

}  // namespace quantlens
