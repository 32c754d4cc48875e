// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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
  explicit GraphIndex(const Graph& graph, TensorMap computed = {});
  GraphIndex(GraphIndex&&) = default;
  GraphIndex& operator=(GraphIndex&&) = default;

  const Graph& graph() const { return *graph_; }
  /// The node that makes `value`; nothing for graph inputs, weights and unknown names.
  std::optional<std::size_t> producer(std::string_view value) const { return at(value).producer; }
  const std::vector<Use>& uses(std::string_view value) const { return at(value).uses; }
  bool is_input(std::string_view value) const { return at(value).is_input; }
  bool is_output(std::string_view value) const { return at(value).is_output; }
  /// The weight a name stands for: an initializer, the value of a Constant node, or one that is
  /// computed from such; else null.
  const Tensor* constant(std::string_view value) const { return at(value).constant; }

 private:
  struct Value {
    std::optional<std::size_t> producer;
    std::vector<Use> uses;
    const Tensor* constant = nullptr;
    bool is_input = false, is_output = false;
  };

  void add_node(std::size_t number);
  const Value& at(std::string_view value) const;

  const Graph* graph_;
  TensorMap computed_;
  std::unordered_map<std::string_view, Value> values_;  // names in the graph and in `computed_`
};

/// The values from outside that the subgraphs of `node` read, once each, in order of first use.
std::vector<std::string> captured_values(const Node& node);

/// A topological order of the nodes, stable (file order wherever that is possible). `outer`: values
/// from outside that a subgraph may read.
/// Throws Errc::bad_input naming a node of the cycle, or a value that nothing makes.
std::vector<std::size_t> topological_order(const Graph& graph,
                                           const std::set<std::string>& outer = {});

}  // namespace quantlens
