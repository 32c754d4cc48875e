// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/plan_half.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/half_inputs.h"
#include "quantlens/quantizer/analyze/obstacles.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

constexpr float kGreatestHalf = 65504;

bool asks_for_half(const OpRecipe& recipe) {
  return recipe.activation.dtype == AskedDtype::fp16 || recipe.weight.dtype == AskedDtype::fp16;
}

class HalfPlanner {
 public:
  HalfPlanner(const Analyzed& analyzed, const Ranges& ranges, const Recipe& recipe,
              const Plan& plan)
      : graph_(analyzed.model.graph),
        index_(analyzed.index),
        types_(element_types(index_)),
        prepared_(analyzed.prepared),
        rules_(recipe),
        is_fallback_(recipe.fallback == Fallback::fp16),
        vocabulary_(analyzed.model.vocabulary) {
    for (const ValueRange& range : ranges.values) ranges_[range.value] = {range.min, range.max};
    for (const Fold& fold : plan.folds) folded_.insert(fold.op);
  }

  bool is_wanted(const Node& node) {
    if (folded_.contains(op_id(node)) || index_.constant(op_id(node)) != nullptr) return false;
    const OpRecipe recipe = rules_.for_op(node).recipe;
    return asks_for_half(recipe) || (is_fallback_ && !wants_float(recipe));
  }

  /// Why a node stays in float32; empty if it need not.
  std::string obstacle(std::size_t number) {
    const Node& node = graph_.nodes[number];
    const auto inputs = half_inputs(node);
    if (!inputs) return fmt::format("{} is not computed in half", node.type);
    if (!vocabulary_.half) {
      return is_whole(vocabulary_) ? "single ops of its format have no half"
                                   : "its operators are too old for half";
    }
    if (const auto kept = prepared_.kept_float.find(number);
        kept != prepared_.kept_float.end() && !is_asked(node)) {
      return kept->second;
    }
    for (const std::size_t input : *inputs) {
      if (std::string reason = input_reason(node.inputs[input]); !reason.empty()) return reason;
    }
    for (const std::string& output : node.outputs) {
      if (std::string reason = range_reason(output); !reason.empty()) return reason;
      if (begins_normalization(output))
        return "a normalization in float reads it, which the runtime would take for one in half";
    }
    return {};
  }

 private:
  /// Whether ops that the runtime joins to one normalization begin at the value. ONNX Runtime reads
  /// through the conversion in front of them, and refuses the float scale and bias that it then
  /// finds.
  bool begins_normalization(const std::string& value) const {
    return std::ranges::any_of(index_.uses(value), [&](const Use& use) {
      const Kind kind = graph_.nodes[use.node].kind;
      const auto kept = prepared_.kept_float.find(use.node);
      return (kind == Kind::reduce_mean || kind == Kind::pow) &&
             kept != prepared_.kept_float.end() && kept->second.starts_with("inside");
    });
  }

  bool is_asked(const Node& node) { return asks_for_half(rules_.for_op(node).recipe); }

  std::string input_reason(const std::string& value) const {
    const Tensor* constant = index_.constant(value);
    if (constant != nullptr) return constant_reason(*constant);
    const auto type = types_.find(value);
    if (type == types_.end()) return "the type of its data is not known";
    if (type->second != DType::float32) return fmt::format("its data are {}", name(type->second));
    return range_reason(value);
  }

  static std::string constant_reason(const Tensor& tensor) {
    if (tensor.dtype() != DType::float32)
      return fmt::format("a constant of it is {}", name(tensor.dtype()));
    const Tensor values = aligned(tensor);
    for (const float value : values.data<float>()) {
      if (!(std::abs(value) <= kGreatestHalf)) {
        return fmt::format("a constant of it is {}, beyond the 65504 of half", value);
      }
    }
    return {};
  }

  std::string range_reason(const std::string& value) const {
    const auto found = ranges_.find(value);
    if (found == ranges_.end()) return {};
    const float reach = std::max(std::abs(found->second.min), std::abs(found->second.max));
    if (reach <= kGreatestHalf) return {};
    return fmt::format("its value '{}' reaches {}, beyond the 65504 of half", printable(value),
                       reach);
  }

  const Graph& graph_;
  const GraphIndex& index_;
  std::unordered_map<std::string, DType> types_;
  const Prepared& prepared_;
  RecipeRules rules_;
  bool is_fallback_;
  const Vocabulary& vocabulary_;
  std::unordered_map<std::string, Range> ranges_;
  std::set<std::string> folded_;
};

bool asks_for_half(const Recipe& recipe) {
  const auto any = [](const std::map<std::string, OpRecipe>& entries) {
    return std::ranges::any_of(entries,
                               [](const auto& entry) { return asks_for_half(entry.second); });
  };
  return recipe.fallback == Fallback::fp16 || asks_for_half({recipe.activation, recipe.weight}) ||
         any(recipe.op_type_dict) || any(recipe.op_name_dict);
}

}  // namespace

void add_half(const Analyzed& analyzed, const Ranges& ranges, const Recipe& recipe,
              PlanResult& result) {
  if (!asks_for_half(recipe)) return;
  HalfPlanner planner(analyzed, ranges, recipe, result.plan);
  const std::vector<Node>& nodes = analyzed.model.graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    OpPlan& op = result.plan.ops[i];
    if (op.form != OpForm::float_ || !planner.is_wanted(nodes[i])) continue;
    const std::string reason = planner.obstacle(i);
    if (reason.empty()) {
      op.form = OpForm::fp16;
      op.precision = Precision::fp16;
    } else if (reason != op.reason) {
      op.reason += "; not in half: " + reason;
    }
  }
}

}  // namespace quantlens
