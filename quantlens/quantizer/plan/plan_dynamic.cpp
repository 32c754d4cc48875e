// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/plan_dynamic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/words.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/obstacles.h"
#include "quantlens/quantizer/plan/describe_ops.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

bool is_lstm(const Node& node) {
  const auto* recurrence = role<roles::Recurrence>(node);
  return recurrence != nullptr && recurrence->cell == roles::Cell::lstm && !recurrence->has_codes;
}

/// Where an op reads its weights.
std::vector<std::size_t> weight_inputs(const Node& node) {
  if (!is_lstm(node)) return {operands_of(node)->weight};
  const roles::RecurrenceOperands& operands = role<roles::Recurrence>(node)->operands;
  return {operands.weight, operands.recurrent};
}

class DynamicPlanner {
 public:
  DynamicPlanner(const Analyzed& analyzed, const Recipe& recipe, const Target& target)
      : graph_(analyzed.model.graph),
        index_(analyzed.index),
        types_(element_types(index_)),
        prepared_(analyzed.prepared),
        rules_(recipe),
        vocabulary_(analyzed.model.vocabulary),
        reduced_(*prepared_.able, recipe, target) {}

  const Graph& graph() const { return graph_; }

  /// Why a node stays float; empty if it need not. Notes what the recipe asks of it.
  std::string obstacle(std::size_t number) {
    const Node& node = graph_.nodes[number];
    const Wish wish = rules_.for_op(node);
    const OpRecipe& recipe = wish.recipe;
    if (index_.constant(op_id(node)) != nullptr) return kConstantResult;
    if (const auto kept = prepared_.kept_float.find(number);
        kept != prepared_.kept_float.end() && has_form(node) && !wish.forced) {
      return kept->second;
    }
    if (!has_form(node)) return "dynamic quantization has no form for it";
    if (wants_float(recipe)) return kKeptByRecipe;
    if (recipe.weight.dtype != AskedDtype::int8 && recipe.weight.dtype != AskedDtype::uint8) {
      return fmt::format("dynamic quantization has weights of int8 or uint8, not {}",
                         recipe.weight.dtype ? word(*recipe.weight.dtype) : "none");
    }
    if (!vocabulary_.dynamic_codes && is_whole(vocabulary_))
      return "its runtime knows no codes whose scale is found as it runs";
    if (!vocabulary_.dynamic_codes) {
      return fmt::format(
          "the model's operators ({}) know no DynamicQuantizeLinear: export it again with {} or "
          "newer",
          vocabulary_.version, vocabulary_.whole);
    }
    if (std::string reason = attribute_reason(node); !reason.empty()) return reason;
    if (std::string reason = opaque_obstacle(graph_, node); !reason.empty()) return reason;
    if (std::string reason = weight_reason(node); !reason.empty()) return reason;
    constexpr std::size_t kData[] = {0};
    return type_obstacle(node, kData, types_);
  }

  /// Adds the integer weights of a node without an obstacle.
  void add(std::size_t number, Plan& plan) {
    const Node& node = graph_.nodes[number];
    const OpRecipe recipe = rules_.for_op(node).recipe;
    for (const std::size_t input : weight_inputs(node)) {
      const Tensor weight = aligned(*constant_input(prepared_, index_, node, input));
      const Scheme scheme = weight_scheme(node, recipe, weight);
      WeightPlan wanted{.weight = name_of_input(prepared_, node, input),
                        .scheme = scheme,
                        .params = weight_params(node, weight, scheme, recipe.weight, plan),
                        .uses = {{op_id(node), input}}};
      add(std::move(wanted), node, plan);
    }
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes = rules_.notes(graph_);
    if (made_symmetric_ > 0) {
      notes.push_back(
          fmt::format("scheme asym has no effect on {} weights: the runtime's kernels of Conv and "
                      "LSTM take one "
                      "zero point with the scales of all channels, so these are symmetric",
                      made_symmetric_));
    }
    return notes;
  }

 private:
  static bool has_form(const Node& node) {
    return node.kind == Kind::matmul || node.kind == Kind::gemm || node.kind == Kind::conv ||
           is_lstm(node);
  }

  std::string attribute_reason(const Node& node) const {
    if (alpha_of(node) != 1) {
      return "integer Gemm needs an alpha of 1";
    }
    if (is_lstm(node) && role<roles::Recurrence>(node)->is_batch_first) {
      return "integer LSTM has no layout with the batch first";
    }
    return std::string(prepared_.able->obstacle(node));
  }

  std::string weight_reason(const Node& node) const {
    if (index_.constant(node.inputs[0]) != nullptr) {
      return node.kind == Kind::matmul ? "its weight is the operand on the left"
                                       : "its data input is constant";
    }
    for (const std::size_t input : weight_inputs(node)) {
      const Tensor* weight = constant_input(prepared_, index_, node, input);
      if (weight == nullptr) {
        return node.kind == Kind::matmul ? "both its operands are computed at run time"
                                         : "its weight is computed at run time";
      }
      if (std::string reason = constant_obstacle(*weight, "weight"); !reason.empty()) return reason;
      if (std::string reason = shape_reason(node, weight->shape()); !reason.empty()) return reason;
    }
    if (node.kind != Kind::conv || bias_of(node).empty()) return {};
    const Tensor* bias = constant_input(prepared_, index_, node, *operands_of(node)->bias);
    if (bias == nullptr) return "its bias is computed at run time";
    return bias->shape().size() == 1 && bias->dtype() == DType::float32
               ? std::string()
               : "its bias is no vector of float32";
  }

  static std::string shape_reason(const Node& node, const Shape& shape) {
    if (std::ranges::find(shape, 0) != shape.end()) return "its weight is empty";
    const std::size_t rank = shape.size();
    const bool fits = node.kind == Kind::gemm     ? rank == 2
                      : node.kind == Kind::matmul ? rank >= 2
                                                  : rank >= 3;
    return fits ? std::string()
                : fmt::format("its weight has {} dimensions, too few for an integer kernel", rank);
  }

  Scheme weight_scheme(const Node& node, const OpRecipe& recipe, const Tensor& weight) {
    Scheme scheme{.dtype = recipe.weight.dtype == AskedDtype::uint8 ? DType::uint8 : DType::int8,
                  .symmetric = recipe.weight.scheme == Symmetry::sym,
                  .axis = {}};
    reduced_.reduce(scheme);
    if (recipe.weight.granularity == Granularity::per_channel) {
      scheme.axis = is_lstm(node) ? std::optional(1) : output_channel_axis(node, weight.shape());
    }
    const bool one_zero_point = node.kind == Kind::conv || is_lstm(node);
    if (scheme.axis && one_zero_point && !scheme.symmetric) {
      scheme.symmetric = true;
      ++made_symmetric_;
    }
    return scheme;
  }

  /// How the elements of a weight are laid out in the file: kernels do not transpose.
  static bool is_turned(const Node& node) { return is_lstm(node) || transposes_b(node); }

  /// One stored tensor serves all ops that want the same weight in the same way.
  void add(WeightPlan wanted, const Node& node, Plan& plan) {
    std::vector<std::size_t>& same = known_[{wanted.weight, is_turned(node)}];
    for (const std::size_t at : same) {
      WeightPlan& known = plan.weights_quantized[at];
      if (!(known.scheme == wanted.scheme)) continue;
      known.uses.push_back(wanted.uses[0]);
      return;
    }
    same.push_back(plan.weights_quantized.size());
    plan.weights_quantized.push_back(std::move(wanted));
  }

  const Graph& graph_;
  const GraphIndex& index_;
  std::unordered_map<std::string, DType> types_;
  const Prepared& prepared_;
  RecipeRules rules_;
  const Vocabulary& vocabulary_;
  ReducedWeights reduced_;
  std::size_t made_symmetric_ = 0;
  /// Weights of the plan by name and by how they lie.
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> known_;
};

/// Each op by itself, but those that fold into another.
std::vector<Pattern> single_ops(const Graph& graph, const Prepared& prepared) {
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) numbers.emplace(op_id(graph.nodes[i]), i);
  std::map<std::size_t, std::size_t> folded;
  for (const Fold& fold : prepared.folds) folded[numbers.at(fold.op)] = numbers.at(fold.into);
  std::vector<Pattern> patterns;
  std::unordered_map<std::size_t, std::size_t> of_anchor;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (folded.contains(i)) continue;
    of_anchor[i] = patterns.size();
    patterns.push_back({.anchor = i, .members = {i}});
  }
  for (const auto& [op, into] : folded) patterns[of_anchor.at(into)].members.push_back(op);
  return patterns;
}

void note_idle_options(const Recipe& recipe, std::vector<std::string>& notes) {
  const Recipe standard;
  const bool keeps_float = recipe.activation.dtype == AskedDtype::fp32;
  if (recipe.activation != standard.activation && !keeps_float) {
    notes.emplace_back(
        "the options of activation have no effect: the model itself chooses uint8 codes for the "
        "range of each input (DynamicQuantizeLinear)");
  }
  if (recipe.quant_format == QuantFormat::qoperator) {
    notes.emplace_back("quant_format has no effect: dynamic ops are integer operators anyway");
  }
}

void note_slow_convolutions(const Plan& plan, std::vector<std::string>& notes) {
  const auto count = std::ranges::count_if(plan.ops, [](const OpPlan& op) {
    return op.form == OpForm::dynamic && op.kind == Kind::conv;
  });
  if (count == 0) return;
  notes.push_back(fmt::format(
      "{} Conv are dynamic: the file is smaller, but ConvInteger takes several times as long as "
      "float Conv in ONNX Runtime; approach static is faster, and so is float (op_type_dict: "
      "{{Conv: fp32}})",
      count));
}

}  // namespace

PlanResult plan_dynamic(const Analyzed& analyzed, const Recipe& recipe, const Target& target) {
  DynamicPlanner planner(analyzed, recipe, target);
  const Graph& graph = analyzed.model.graph;
  const Prepared& prepared = analyzed.prepared;
  PlanResult result;
  Plan& plan = result.plan;
  plan.folds = prepared.folds.list();
  plan.input_edits = prepared.input_edits.list();
  plan.weights = prepared.weights;
  plan.weights.insert(prepared.constants.begin(), prepared.constants.end());
  const std::vector<Pattern> patterns = single_ops(graph, prepared);
  std::vector<PatternVerdict> verdicts;
  for (const Pattern& pattern : patterns) {
    std::string reason = planner.obstacle(pattern.anchor);
    if (reason.empty()) planner.add(pattern.anchor, plan);
    const bool is_dynamic = reason.empty();
    verdicts.push_back({.form = is_dynamic ? OpForm::dynamic : OpForm::float_,
                        .precision = is_dynamic ? Precision::int8 : Precision::fp32,
                        .reason = std::move(reason)});
  }
  plan.ops = describe_ops(graph, patterns, verdicts);
  result.notes = planner.notes();
  note_reduced(recipe, result);
  note_idle_options(recipe, result.notes);
  note_slow_convolutions(plan, result.notes);
  return result;
}

void add_dynamic(const PlanInputs& inputs, const std::set<std::size_t>& nodes, PlanResult& result) {
  DynamicPlanner planner(inputs.analyzed, inputs.recipe, inputs.target);
  for (const std::size_t number : nodes) {
    if (!planner.obstacle(number).empty()) continue;
    planner.add(number, result.plan);
    OpPlan& op = result.plan.ops[number];
    op.quantized = true;
    op.reason.clear();
    op.form = OpForm::dynamic;
    op.precision = Precision::int8;
  }
  note_reduced(inputs.recipe, result);
  note_slow_convolutions(result.plan, result.notes);
}

}  // namespace quantlens
