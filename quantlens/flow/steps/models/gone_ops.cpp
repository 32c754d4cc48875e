// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/gone_ops.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quantlens/graph/order.h"

namespace quantlens::flow {
namespace {

class Finder {
 public:
  Finder(const Model& before, const Model& after) : index_(before.graph) {
    for (const Node& node : after.graph.nodes) left_.emplace(op_id(node), &node);
  }

  std::vector<GoneOp> run() const {
    std::vector<GoneOp> gone;
    const std::vector<Node>& nodes = index_.graph().nodes;
    for (std::size_t number = 0; number < nodes.size(); ++number) {
      if (left_.contains(op_id(nodes[number]))) continue;
      auto into = nearest(number, [&](std::size_t at) { return makers(at); });
      if (!into) into = nearest(number, [&](std::size_t at) { return readers(at); });
      if (!into) continue;
      const Node& node = nodes[number];
      gone.push_back({.name = op_name(node), .type = node.type, .into = op_name(nodes[*into])});
    }
    return gone;
  }

 private:
  std::vector<std::size_t> makers(std::size_t number) const {
    std::vector<std::size_t> found;
    for (const std::string& input : index_.graph().nodes[number].inputs) {
      if (const auto producer = index_.producer(input)) found.push_back(*producer);
    }
    return found;
  }

  std::vector<std::size_t> readers(std::size_t number) const {
    std::vector<std::size_t> found;
    for (const Use& use : index_.uses(op_id(index_.graph().nodes[number])))
      found.push_back(use.node);
    return found;
  }

  /// Whether an op is still there, and reads other constants.
  bool is_edited(std::size_t number) const {
    const Node& node = index_.graph().nodes[number];
    const auto found = left_.find(op_id(node));
    if (found == left_.end()) return false;
    const std::vector<std::string>& inputs = found->second->inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool is_constant = i >= node.inputs.size() || index_.constant(node.inputs[i]);
      if (is_constant && (i >= node.inputs.size() || inputs[i] != node.inputs[i])) return true;
    }
    return false;
  }

  /// The first edited op in one direction, past what is gone too and what only moves elements.
  std::optional<std::size_t> nearest(std::size_t from, const auto& neighbours) const {
    std::unordered_set<std::size_t> seen{from};
    std::vector<std::size_t> border{from};
    while (!border.empty()) {
      const std::size_t at = border.back();
      border.pop_back();
      for (const std::size_t next : neighbours(at)) {
        if (!seen.insert(next).second) continue;
        if (is_edited(next)) return next;
        const Node& node = index_.graph().nodes[next];
        if (moves_elements(node.kind) || !left_.contains(op_id(node))) border.push_back(next);
      }
    }
    return std::nullopt;
  }

  GraphIndex index_;
  std::unordered_map<std::string, const Node*> left_;  // by id
};

}  // namespace

std::vector<GoneOp> gone_ops(const Model& before, const Model& after) {
  return Finder(before, after).run();
}

}  // namespace quantlens::flow
