// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/attribute.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

using Owner = std::optional<std::size_t>;

/// Nodes whose kind is wherever a runtime fuses what follows into.
bool computes(Kind kind) {
  switch (kind) {
    case Kind::conv:
    case Kind::conv_transpose:
    case Kind::gemm:
    case Kind::matmul:
    case Kind::add:
    case Kind::mul:
    case Kind::batch_norm:
    case Kind::qconv:
    case Kind::qmatmul:
    case Kind::qgemm:
    case Kind::qadd:
    case Kind::qmul:
      return true;
    default:
      return false;
  }
}

bool is_activation(Kind kind) {
  return kind == Kind::relu || kind == Kind::clip || kind == Kind::leaky_relu ||
         kind == Kind::sigmoid || kind == Kind::hard_sigmoid || kind == Kind::hard_swish ||
         kind == Kind::tanh || kind == Kind::elu;
}

/// Finds the op of a file that a runtime's node was made from.
class Anchors {
 public:
  explicit Anchors(const Graph& file) {
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
      const Node& node = file.nodes[i];
      for (const std::string& output : node.outputs) {
        if (output.empty()) continue;
        by_output_.emplace(output, i);
        by_name_.emplace(output, i);
      }
    }
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
      by_name_[op_name(file.nodes[i])] = i;
    }
  }

  Owner of(const Node& node) const {
    for (const std::string& output : node.outputs) {
      const auto found = by_output_.find(output);
      if (found != by_output_.end()) return found->second;
    }
    return by_beginning(node.name);
  }

 private:
  /// Runtimes name what they make `<op>_nchwc`, `<op>_token_7`, `<op>/MatMulAddFusion`.
  Owner by_beginning(std::string_view name) const {
    for (std::size_t length = name.size(); length > 0; --length) {
      const bool at_end = length == name.size() || name[length] == '_' || name[length] == '/';
      if (!at_end) continue;
      const auto found = by_name_.find(std::string(name.substr(0, length)));
      if (found != by_name_.end()) return found->second;
    }
    return std::nullopt;
  }

  std::unordered_map<std::string, std::size_t> by_output_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

/// The role of a node by its type; a Transpose or Cast is the model's own if its anchor is one.
NodeRole role_of(const Node& node, const Node* anchor) {
  if (node.kind == Kind::quantize) return NodeRole::quantize;
  if (node.kind == Kind::dequantize) return NodeRole::dequantize;
  if (role<roles::Reorder>(node) != nullptr) return NodeRole::reorder;
  const bool own = anchor != nullptr && have_same_type(*anchor, node);
  if (node.kind == Kind::transpose && !own) return NodeRole::transpose;
  if (node.kind == Kind::cast && !own) return NodeRole::cast;
  return NodeRole::op;
}

/// Whether any of a node's inputs changes with the graph's inputs.
std::vector<bool> depend_on_inputs(const Graph& graph, const GraphIndex& index) {
  std::vector<bool> result(graph.nodes.size());
  const auto varies = [&](const std::string& name) {
    const auto producer = index.producer(name);
    return index.is_input(name) || (producer && result[*producer]);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    result[i] = std::ranges::any_of(node.inputs, varies) ||
                std::ranges::any_of(captured_values(node), varies);
  }
  return result;
}

/// Spreads owners from anchored nodes to those beside them.
class Absorption {
 public:
  Absorption(const Graph& graph, const std::vector<bool>& anchored)
      : graph_(graph), index_(graph), owners_(graph.nodes.size()) {
    const std::vector<bool> varies = depend_on_inputs(graph, index_);
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (anchored[i]) {
        owners_[i] = i;
      } else if (varies[i]) {
        open_.push_back(i);
      }
    }
  }

  std::vector<Owner> run() {
    pass([&](std::size_t i) { return prefers_producer(i) ? producer(i) : Owner(); }, false);
    pass([&](std::size_t i) { return reader(i); }, true);
    pass([&](std::size_t i) { return producer(i); }, false);
    pass([&](std::size_t i) { return reader(i); }, true);
    return std::move(owners_);
  }

 private:
  template <class F>
  void pass(F&& owner_of, bool backwards) {
    std::vector<std::size_t> order = open_;
    if (backwards) std::ranges::reverse(order);
    for (const std::size_t i : order) {
      if (!owners_[i]) owners_[i] = owner_of(i);
    }
  }

  bool prefers_producer(std::size_t i) const {
    const Kind kind = graph_.nodes[i].kind;
    if (kind == Kind::quantize) return true;
    if (!is_activation(kind) || graph_.nodes[i].inputs.empty()) return false;
    const auto before = index_.producer(graph_.nodes[i].inputs[0]);
    return before && computes(graph_.nodes[*before].kind);
  }

  Owner producer(std::size_t i) const {
    for (const std::string& input : graph_.nodes[i].inputs) {
      const auto node = index_.producer(input);
      if (node && owners_[*node]) return owners_[*node];
    }
    return std::nullopt;
  }

  Owner reader(std::size_t i) const {
    for (const std::string& output : graph_.nodes[i].outputs) {
      for (const Use& use : index_.uses(output)) {
        if (owners_[use.node]) return owners_[use.node];
      }
    }
    return std::nullopt;
  }

  const Graph& graph_;
  GraphIndex index_;
  std::vector<Owner> owners_;
  std::vector<std::size_t> open_;
};

/// Nodes that the runtime put in without a name of ours get the ops of who reads them, or of who
/// made what they read.
void lend_to_nameless(const Graph& run, std::vector<Attributed>& attributed) {
  const GraphIndex index(run);
  const auto lend = [&](std::size_t to, std::size_t from) {
    if (attributed[to].ops.empty() && attributed[from].role == NodeRole::op) {
      attributed[to].ops = attributed[from].ops;
    }
  };
  const auto is_nameless = [&](std::size_t i) {
    return attributed[i].role == NodeRole::op && attributed[i].ops.empty();
  };
  for (std::size_t i = run.nodes.size(); i-- > 0;) {
    if (!is_nameless(i)) continue;
    for (const std::string& output : run.nodes[i].outputs) {
      for (const Use& use : index.uses(output)) lend(i, use.node);
    }
  }
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    if (!is_nameless(i)) continue;
    for (const std::string& input : run.nodes[i].inputs) {
      if (const auto node = index.producer(input)) lend(i, *node);
    }
  }
}

}  // namespace

std::vector<Owner> absorb(const Graph& graph, const std::vector<bool>& anchored) {
  return Absorption(graph, anchored).run();
}

std::vector<Attributed> attribute(const Graph& run, const Graph& file) {
  const Anchors anchors(file);
  std::vector<Attributed> attributed(run.nodes.size());
  std::vector<Owner> anchor_of(run.nodes.size());
  std::vector<bool> anchored(file.nodes.size());
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    Owner anchor = anchors.of(run.nodes[i]);
    attributed[i].role = role_of(run.nodes[i], anchor ? &file.nodes[*anchor] : nullptr);
    const bool own =
        attributed[i].role == NodeRole::op || (attributed[i].role != NodeRole::reorder && anchor &&
                                               file.nodes[*anchor].kind == run.nodes[i].kind);
    if (!own) anchor.reset();
    anchor_of[i] = anchor;
    if (anchor) anchored[*anchor] = true;
  }
  std::unordered_map<std::size_t, std::vector<std::size_t>> fused;
  const std::vector<Owner> owners = absorb(file, anchored);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i]) fused[*owners[i]].push_back(i);
  }
  for (std::size_t i = 0; i < attributed.size(); ++i) {
    if (anchor_of[i]) attributed[i].ops = fused[*anchor_of[i]];
  }
  lend_to_nameless(run, attributed);
  return attributed;
}

}  // namespace quantlens
