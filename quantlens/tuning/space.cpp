// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/space.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/words.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

bool has_role(const Capabilities& able, const OpPlan& op, Role role) {
  return std::ranges::any_of(
      able.rows(), [&](const Capability& row) { return row.role == role && row.kind == op.kind; });
}

/// In integers, and of a kind that the table calls worth it.
bool computes(const Capabilities& able, const OpPlan& op) {
  return op.quantized && has_role(able, op, Role::compute);
}

/// The words apart from the one that holds already.
Dimension others(const std::string& name, std::string_view now,
                 const std::vector<std::string_view>& words, const std::string& form) {
  Dimension dimension{.name = name, .choices = {""}};
  for (const std::string_view one : words) {
    if (one != now) dimension.choices.push_back(fmt::format(fmt::runtime(form), one));
  }
  return dimension;
}

std::vector<Dimension> options_of(const Recipe& start) {
  std::vector<Dimension> options;
  const auto add = [&](const char* name, std::string_view now,
                       const std::vector<std::string_view>& words, const char* form) {
    Dimension dimension = others(name, now, words, form);
    if (dimension.choices.size() > 1) options.push_back(std::move(dimension));
  };
  if (!needs_calibration(start)) return options;
  add("ranges", word(start.activation.algorithm.value_or(usual_range_algorithm(start))),
      {"minmax", "mse", "percentile", "entropy"}, "{{activation: {{algorithm: {}}}}}");
  add("activation scheme", word(start.activation.scheme.value_or(Symmetry::asym)), {"asym", "sym"},
      "{{activation: {{scheme: {}}}}}");
  add("weight granularity", word(start.weight.granularity.value_or(Granularity::per_channel)),
      {"per_channel", "per_tensor"}, "{{weight: {{granularity: {}}}}}");
  add("weight ranges", word(start.weight.algorithm.value_or(usual_weight_algorithm(start))),
      {"minmax", "mse"}, "{{weight: {{algorithm: {}}}}}");
  add("bias correction", wants_bias_correction(start) ? "true" : "false", {"true", "false"},
      "{{recipes: {{bias_correction: {}}}}}");
  const RecipeSwitches& now = start.recipes;
  const auto keep = [&](const char* name, bool is_on) {
    if (is_on) {
      options.push_back(
          {.name = name, .choices = {"", fmt::format("{{recipes: {{{}: false}}}}", name)}});
    }
  };
  keep("first_conv_or_matmul_quantization", now.first_conv_or_matmul_quantization);
  keep("last_conv_or_matmul_quantization", now.last_conv_or_matmul_quantization);
  keep("pre_post_process_quantization", now.pre_post_process_quantization);
  return options;
}

/// Who makes and who reads each op's values, by number of the op in the space.
class Neighbours {
 public:
  Neighbours(const Graph& graph, const std::vector<TunableOp>& ops)
      : ops_(ops), edges_(ops.size()) {
    std::map<std::string_view, std::size_t> number;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (const std::string& member : ops[i].values) number[member] = i;
    }
    std::map<std::string_view, std::size_t> maker;
    for (const Node& node : graph.nodes) {
      const auto self = number.find(op_id(node));
      if (self == number.end()) continue;
      for (const std::string& output : node.outputs) maker[output] = self->second;
      for (const std::string& input : node.inputs) {
        const auto from = maker.find(input);
        if (from == maker.end() || from->second == self->second) continue;
        edges_[from->second].insert(self->second);
        edges_[self->second].insert(from->second);
      }
    }
  }

  /// Those that do not compute, across those that only move.
  std::vector<std::size_t> around(std::size_t op) const {
    std::set<std::size_t> found;
    std::vector<std::size_t> next{op};
    while (!next.empty()) {
      const std::size_t now = next.back();
      next.pop_back();
      for (const std::size_t other : edges_[now]) {
        if (other == op || ops_[other].computes || !found.insert(other).second) continue;
        if (ops_[other].moves) next.push_back(other);
      }
    }
    return {found.begin(), found.end()};
  }

 private:
  const std::vector<TunableOp>& ops_;
  std::vector<std::set<std::size_t>> edges_;
};

std::uint64_t count_of(const MultiplyAdds& multiply_adds, const std::string& op) {
  const auto found = multiply_adds.find(op);
  return found == multiply_adds.end() ? 0 : found->second;
}

/// "Conv[3,3] depthwise": what kernels tell apart.
std::string kernel_of(const Node& node, const GraphIndex& index) {
  std::string text = node.type;
  const Tensor* weight = index.constant(weight_of(node));
  if (!weight) return text + " of two values";
  if (weight->shape().size() < 3) return text;
  const std::vector<std::int64_t> kernel(weight->shape().begin() + 2, weight->shape().end());
  text += fmt::format("[{}]", fmt::join(kernel, ","));
  if (groups_of(node) == 1) return text;
  const std::optional<WeightAxes> axes = weight_axes(node, weight->shape().size());
  return text + (axes && weight->shape()[axes->input] == 1 ? " depthwise" : " grouped");
}

/// Fills in TunableOp::make.
void tell_makes(const Graph& graph, std::vector<TunableOp>& ops) {
  constexpr int kFar = 4;
  const GraphIndex index(graph);
  std::map<std::string_view, const Node*> nodes;
  for (const Node& node : graph.nodes) nodes[op_id(node)] = &node;
  std::set<std::string_view> computing;
  for (const TunableOp& op : ops) {
    if (op.computes) computing.insert(op.op);
  }
  for (TunableOp& op : ops) {
    const auto found = nodes.find(op.op);
    if (found == nodes.end()) continue;
    if (op.computes) op.make = kernel_of(*found->second, index);
    const Node* node = found->second;
    for (int far = 0; far < kFar && !node->outputs.empty(); ++far) {
      const std::vector<Use>& uses = index.uses(node->outputs[0]);
      if (uses.size() != 1) break;
      node = &graph.nodes[uses[0].node];
      if (computing.contains(op_id(*node))) break;
      op.make += ", " + node->type;
    }
  }
}

}  // namespace

Space space_of(const Graph& graph, const Capabilities& able, const Plan& plan, const Recipe& start,
               const MultiplyAdds& multiply_adds) {
  Space space;
  for (const OpPlan& op : plan.ops) {
    if (!op.quantized || op.members.empty()) continue;
    space.ops.push_back({.op = op.op.id,
                         .name = op.op.name,
                         .type = op.type,
                         .kind = op.kind,
                         .computes = computes(able, op),
                         .multiply_adds = count_of(multiply_adds, op.op.id),
                         .moves = has_role(able, op, Role::pass_through),
                         .values = op.members,
                         .around = {},
                         .make = op.type});
  }
  const Neighbours neighbours(graph, space.ops);
  for (std::size_t i = 0; i < space.ops.size(); ++i) space.ops[i].around = neighbours.around(i);
  tell_makes(graph, space.ops);
  for (const bool computing : {true, false}) {
    for (const TunableOp& op : space.ops) {
      if (op.computes != computing || std::ranges::count(space.types, op.type) > 0) continue;
      space.types.push_back(op.type);
    }
  }
  space.options = options_of(start);
  for (const std::string& type : space.types) {
    const boost::json::object entry{{pattern_of(type), "fp32"}};
    space.types_in_float.push_back(
        {.name = type, .choices = {"", json::dump(boost::json::object{{"op_type_dict", entry}})}});
  }
  return space;
}

std::uint64_t compute_quantized(const Plan& plan, const Capabilities& able) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(plan.ops, [&](const OpPlan& op) { return computes(able, op); }));
}

std::uint64_t multiply_adds_quantized(const Plan& plan, const MultiplyAdds& multiply_adds) {
  std::uint64_t sum = 0;
  for (const OpPlan& op : plan.ops) {
    if (op.quantized && op.precision == Precision::int8) sum += count_of(multiply_adds, op.op.id);
  }
  return sum;
}

Recipe with_float(Recipe recipe, const std::vector<const TunableOp*>& ops) {
  for (const TunableOp* op : ops) {
    OpRecipe& entry = recipe.op_name_dict[pattern_of(op->name)];
    entry.activation.dtype = AskedDtype::fp32;
    entry.weight.dtype = AskedDtype::fp32;
  }
  return recipe;
}

std::vector<std::size_t> ops_in_float(const Space& space, const json::Value& fragment) {
  std::vector<std::size_t> ops;
  if (fragment.is_null()) return ops;
  try {
    const Recipe recipe = with_document({}, fragment, "a remedy");
    RecipeRules rules(recipe);
    for (std::size_t i = 0; i < space.ops.size(); ++i) {
      Node node;
      node.name = space.ops[i].name;
      node.type = space.ops[i].type;
      if (wants_float(rules.for_op(node).recipe)) ops.push_back(i);
    }
  } catch (const Error&) {
    ops.clear();  // it says nothing that a recipe can
  }
  return ops;
}

}  // namespace quantlens
