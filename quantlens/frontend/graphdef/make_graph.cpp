// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/frontend/graphdef/told_codes.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/graph/shapes.h"
#include "quantlens/graph/stable_order.h"

namespace quantlens::graphdef {
namespace {

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

bool normalizes(const Node& node) {
  return node.type.find("BatchNorm") != std::string::npos;
}

bool gives_nothing(const Op& op) {
  return op.node.outputs.empty();
}

class Assembler {
 public:
  Assembler(const Source& source, std::vector<Op> ops) : source_(source), ops_(std::move(ops)) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (const std::string& value : ops_[i].node.outputs) makers_.emplace(value, i);
      named_.emplace(ops_[i].node.name, i);
    }
    for (Op& op : ops_) take_back_edges(op);
  }

  Graph make(std::optional<std::vector<ValueInfo>> outputs) {
    const bool is_whole = !outputs;
    graph_.outputs = outputs ? *std::move(outputs) : read_by_nobody();
    drop_by_products();
    for (const std::size_t number : order()) add(ops_[number]);
    if (is_whole) drop_constant_outputs();
    codes_.drop_ranges(graph_);
    return std::move(graph_);
  }

 private:
  /// What a loop hands to its next round is made after it is read: it is an attribute, not an
  /// input.
  void take_back_edges(Op& op) {
    if (!is_one_of(op.node.type, {"Merge", "RefMerge"})) return;
    for (std::string& input : op.node.inputs) {
      const auto maker = makers_.find(input);
      if (maker == makers_.end()) continue;
      const Op& next = ops_[maker->second];
      if (!is_one_of(next.node.type, {"NextIteration", "RefNextIteration"})) continue;
      op.node.attributes.insert_or_assign("next_iteration", input);
      handed_on_.insert(input);
      input.clear();
    }
  }

  std::vector<ValueInfo> read_by_nobody() const {
    std::unordered_set<std::string_view> read(handed_on_.begin(), handed_on_.end());
    std::vector<ValueInfo> outputs;
    for (const Op& op : ops_) {
      read.insert(op.node.inputs.begin(), op.node.inputs.end());
      if (!is_one_of(op.node.type, {"_Retval", "_DeviceRetval"}) || op.node.inputs.empty())
        continue;
      outputs.push_back({.name = op.node.inputs.front(), .dtype = {}, .shape = {}});
    }
    for (const Op& op : ops_) {
      const std::vector<std::string>& values = op.node.outputs;
      const auto is_read = [&](const std::string& value) { return read.contains(value); };
      if (op.is_constant || op.given || is_aside(op.node.type) ||
          std::ranges::any_of(values, is_read))
        continue;
      const std::size_t count =
          normalizes(op.node) ? std::min<std::size_t>(values.size(), 1) : values.size();
      for (std::size_t i = 0; i < count; ++i)
        outputs.push_back({.name = values[i], .dtype = {}, .shape = {}});
    }
    return outputs;
  }

  /// What freezing leaves of variables that only control edges lead to.
  void drop_constant_outputs() {
    const auto is_constant = [&](const ValueInfo& output) {
      return constants_.contains(output.name);
    };
    if (!std::ranges::all_of(graph_.outputs, is_constant))
      std::erase_if(graph_.outputs, is_constant);
  }

  /// What a normalization gives for training is absent where nobody reads it.
  void drop_by_products() {
    std::unordered_set<std::string_view> read;
    for (const Op& op : ops_) read.insert(op.node.inputs.begin(), op.node.inputs.end());
    for (const ValueInfo& output : graph_.outputs) read.insert(output.name);
    for (Op& op : ops_) {
      if (!normalizes(op.node)) continue;
      for (std::size_t i = 1; i < op.node.outputs.size(); ++i) {
        if (!read.contains(op.node.outputs[i])) op.node.outputs[i].clear();
      }
    }
  }

  /// For each op, those that have to come before it.
  std::vector<std::vector<std::size_t>> needs() const {
    std::vector<std::vector<std::size_t>> needs(ops_.size());
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const auto add = [&](const auto& makers, const std::string& name) {
        const auto found = makers.find(name);
        if (found != makers.end()) needs[i].push_back(found->second);
      };
      for (const std::string& input : ops_[i].node.inputs) add(makers_, input);
      for (const std::string& name : ops_[i].waits_for) add(named_, name);
      std::ranges::sort(needs[i]);
      needs[i].erase(std::unique(needs[i].begin(), needs[i].end()), needs[i].end());
    }
    return needs;
  }

  /// As near to the file's as can be.
  std::vector<std::size_t> order() const {
    const auto needs = this->needs();
    std::vector<std::size_t> order = stable_order(needs);
    if (order.size() == needs.size()) return order;
    std::ranges::sort(order);
    std::size_t stuck = 0;  // the first that is not in it
    while (stuck < order.size() && order[stuck] == stuck) ++stuck;
    const Op& op = ops_[stuck];
    unsound(source_.path,
            fmt::format("its nodes form a cycle, which holds up '{}' and may be closed by "
                        "NextIteration alone",
                        printable(op.node.name)));
  }

  void add(Op& op) {
    if (gives_nothing(op)) return;
    const std::string& value = op.node.outputs.front();
    if (op.given) return graph_.inputs.push_back(*std::move(op.given));
    if (op.is_constant) {
      if (op.constant) {
        constants_.emplace(value, *op.constant);
        graph_.weights.insert_or_assign(value, *std::move(op.constant));
      } else {
        graph_.opaque_weights.insert(value);
      }
      return;
    }
    describe(op);
    Node& node = op.node;
    if (node.kind == Kind::other && !codes_.tell(node)) tell_meaning(node, constants_);
    if (const OpRow* row = find_op(node.type); row != nullptr && says_types(node))
      node.results = result_types(*row, node);
    if (node.kind == Kind::identity && !node.inputs.empty()) {
      const auto constant = constants_.find(node.inputs[0]);
      if (constant != constants_.end()) constants_.emplace(value, constant->second);
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// Whether the results' types are other than the kind says by itself.
  static bool says_types(const Node& node) {
    switch (node.kind) {
      case Kind::other:
      case Kind::cast:
      case Kind::shape_of:
      case Kind::arg_max:
      case Kind::control_flow:
        return true;
      case Kind::split:
      case Kind::identity:
        return false;
      default:
        return node.outputs.size() > 1;
    }
  }

  /// Shapes of results that the file has notes of.
  void describe(const Op& op) {
    const std::size_t count = std::min(op.shapes.size(), op.node.outputs.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!op.shapes[i]) continue;
      const std::string& value = op.node.outputs[i];
      graph_.values.insert_or_assign(value,
                                     ValueInfo{.name = value, .dtype = {}, .shape = op.shapes[i]});
    }
  }

  const Source& source_;
  std::vector<Op> ops_;
  std::unordered_map<std::string, std::size_t> makers_;  // of values
  std::unordered_map<std::string, std::size_t> named_;   // nodes
  std::unordered_set<std::string> handed_on_;            // to the next round of a loop
  Constants constants_;
  Graph graph_;
  CodesTeller codes_{constants_, graph_.weights};
};

bool has_open_groups(const Node& node) {
  return node.kind == Kind::conv && node.type == "Conv2D";
}

/// A Conv2D does not say its groups: its data have so many times the channels of its weight.
void find_groups(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, has_open_groups)) return;
  const GraphIndex index(graph);
  const Shapes known = shapes(index);
  const auto extent = [&](const std::string& value, std::size_t axis) -> std::int64_t {
    if (const Tensor* tensor = index.constant(value))
      return axis < tensor->shape().size() ? tensor->shape()[axis] : 0;
    const auto found = known.find(value);
    return found != known.end() && axis < found->second.size()
               ? found->second[axis].extent.value_or(0)
               : 0;
  };
  std::vector<std::pair<Node*, std::int64_t>> grouped;
  for (Node& node : graph.nodes) {
    if (!has_open_groups(node)) continue;
    const auto* role = quantlens::role<roles::Convolution>(node);
    const std::int64_t channels = extent(data_of(node), role->channel_axis);
    const std::int64_t within = extent(weight_of(node), role->input_axis);
    if (channels > 0 && within > 0 && channels % within == 0 && channels > within)
      grouped.emplace_back(&node, channels / within);
  }
  for (const auto& [node, groups] : grouped) {
    roles::Convolution role = *quantlens::role<roles::Convolution>(*node);
    role.groups = groups;
    node->roles = role;
  }
}

}  // namespace

Graph make_graph(const Source& source, std::vector<Op> ops,
                 std::optional<std::vector<ValueInfo>> outputs) {
  Graph graph = Assembler(source, std::move(ops)).make(std::move(outputs));
  find_groups(graph);
  return graph;
}

}  // namespace quantlens::graphdef
