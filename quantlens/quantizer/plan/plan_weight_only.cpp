// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/plan_weight_only.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/words.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/obstacles.h"
#include "quantlens/quantizer/plan/describe_ops.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

constexpr std::int64_t kLeastBlock = 16, kGreatestBlock = 256;
constexpr std::int64_t kSmallTable = 1024;  // elements; fewer are not worth an op

bool is_block_size(std::int64_t size) {
  return size >= kLeastBlock && size <= kGreatestBlock && (size & (size - 1)) == 0;
}

class WeightOnlyPlanner {
 public:
  WeightOnlyPlanner(const Analyzed& analyzed, const Recipe& recipe)
      : graph_(analyzed.model.graph),
        index_(analyzed.index),
        types_(element_types(index_)),
        prepared_(analyzed.prepared),
        rules_(recipe) {}

  /// Why a node stays as it is; empty if it need not.
  std::string obstacle(std::size_t number) {
    const Node& node = graph_.nodes[number];
    const OpRecipe recipe = rules_.for_op(node).recipe;
    if (index_.constant(op_id(node)) != nullptr) return kConstantResult;
    if (!prepared_.able->rules().all_widths) return "its runtime has no ops for weights in blocks";
    const bool is_table = node.kind == Kind::gather;
    if (!is_table && node.kind != Kind::matmul && node.kind != Kind::gemm) {
      return "its weights have no form in blocks";
    }
    if (wants_float(recipe)) return kKeptByRecipe;
    if (std::string reason = recipe_reason(recipe.weight); !reason.empty()) return reason;
    if (std::string reason = opaque_obstacle(graph_, node); !reason.empty()) return reason;
    return is_table ? table_reason(node) : matrix_reason(node);
  }

  /// Adds the weight of a node without an obstacle; gives its bits.
  int add(std::size_t number, Plan& plan) {
    const Node& node = graph_.nodes[number];
    const OpRecipe recipe = rules_.for_op(node).recipe;
    const bool is_table = node.kind == Kind::gather;
    const std::size_t input = is_table ? 0 : operands_of(node)->weight;
    BlockWeightPlan wanted{.weight = node.inputs[input],
                           .rows = is_table || transposes_b(node),
                           .scheme = scheme_of(recipe.weight),
                           .integer_data = !is_table && recipe.activation.dtype.has_value(),
                           .uses = {{op_id(node), input}}};
    if (is_table) {
      const Shape& shape = index_.constant(wanted.weight)->shape();
      while (shape[1] % wanted.scheme.size != 0) wanted.scheme.size /= 2;
    }
    const int bits = wanted.scheme.bits;
    add(std::move(wanted), is_table, plan);
    return bits;
  }

  std::vector<std::string> notes() const { return rules_.notes(graph_); }

 private:
  static BlockScheme scheme_of(const TensorRecipe& recipe) {
    return {.bits = recipe.dtype == AskedDtype::int4 || recipe.dtype == AskedDtype::uint4 ? 4 : 8,
            .size = static_cast<std::int64_t>(recipe.group_size.value_or(32)),
            .symmetric = recipe.scheme != Symmetry::asym,
            .searched = recipe.algorithm == RangeAlgorithm::mse};
  }

  static std::string recipe_reason(const TensorRecipe& recipe) {
    using enum AskedDtype;
    constexpr std::array kStored = {int_, int4, uint4, int8, uint8};
    if (!recipe.dtype || std::ranges::find(kStored, *recipe.dtype) == kStored.end()) {
      return fmt::format("weights in blocks are int4, uint4, int8 or uint8, not {}",
                         recipe.dtype ? word(*recipe.dtype) : "none");
    }
    const auto size = static_cast<std::int64_t>(recipe.group_size.value_or(0));
    if (is_block_size(size)) return {};
    return fmt::format("a block has 16, 32, 64, 128 or 256 elements, not {}", size);
  }

  std::string constant_reason(const Node& node, std::size_t input) const {
    const Tensor* weight = index_.constant(node.inputs[input]);
    if (weight == nullptr) return "its weight is computed at run time";
    if (std::string reason = constant_obstacle(*weight, "weight"); !reason.empty()) return reason;
    if (weight->shape().size() != 2) {
      return fmt::format("its weight has {} dimensions; only matrices are stored in blocks",
                         weight->shape().size());
    }
    return weight->size() == 0 ? "its weight is empty" : "";
  }

  std::string matrix_reason(const Node& node) const {
    if (index_.constant(node.inputs[0]) != nullptr) {
      return node.kind == Kind::matmul ? "its weight is the operand on the left"
                                       : "its data input is constant";
    }
    if (alpha_of(node) != 1) {
      return "Gemm with weights in blocks needs an alpha of 1";
    }
    if (const auto reason = prepared_.able->obstacle(node); !reason.empty())
      return std::string(reason);
    if (std::string reason = constant_reason(node, operands_of(node)->weight); !reason.empty())
      return reason;
    constexpr std::size_t kData[] = {0};
    return type_obstacle(node, kData, types_);
  }

  std::string table_reason(const Node& node) const {
    if (std::string reason = constant_reason(node, 0); !reason.empty()) return reason;
    const Tensor& table = *index_.constant(node.inputs[0]);
    if (table.size() < kSmallTable) return "its table is small";
    if (const auto axis = axis_of(node).value_or(0); axis != 0 && axis != -2) {
      return "it looks up columns; only tables of rows are stored in blocks";
    }
    if (table.shape()[1] % kLeastBlock != 0) {
      return fmt::format("the rows of its table have {} elements, which blocks of {} do not divide",
                         table.shape()[1], kLeastBlock);
    }
    return {};
  }

  /// One stored tensor serves all ops that want the same weight in the same way.
  void add(BlockWeightPlan wanted, bool is_table, Plan& plan) {
    std::vector<std::size_t>& same = known_[{wanted.weight, is_table}];
    for (const std::size_t at : same) {
      BlockWeightPlan& known = plan.weights_in_blocks[at];
      if (known.rows != wanted.rows || !(known.scheme == wanted.scheme) ||
          known.integer_data != wanted.integer_data) {
        continue;
      }
      known.uses.push_back(wanted.uses[0]);
      return;
    }
    same.push_back(plan.weights_in_blocks.size());
    plan.weights_in_blocks.push_back(std::move(wanted));
  }

  const Graph& graph_;
  const GraphIndex& index_;
  std::unordered_map<std::string, DType> types_;
  const Prepared& prepared_;
  RecipeRules rules_;
  /// Weights of the plan by name, and tables apart.
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> known_;
};

void note_slow_products(const GraphIndex& index, const Plan& plan,
                        std::vector<std::string>& notes) {
  const auto multiplies = [&](const ValueUse& use) {
    const std::optional<std::size_t> number = index.producer(use.op);
    return number && operands_of(index.graph().nodes[*number]) != nullptr;
  };
  std::size_t count = 0;
  for (const BlockWeightPlan& weight : plan.weights_in_blocks) {
    for (const ValueUse& use : weight.uses) {
      const bool is_slow = weight.scheme.bits == 8 && !weight.integer_data && multiplies(use);
      if (is_slow) ++count;
    }
  }
  if (count == 0) return;
  notes.push_back(
      fmt::format("{} MatMul or Gemm have weights of 8 bits and data in float, which takes 2 to 3 "
                  "times as long "
                  "as float in ONNX Runtime; activation: {{dtype: int8}} is as fast as float",
                  count));
}

}  // namespace

PlanResult plan_weight_only(const Analyzed& analyzed, const Recipe& recipe) {
  WeightOnlyPlanner planner(analyzed, recipe);
  const Graph& graph = analyzed.model.graph;
  const TensorMap& constants = analyzed.prepared.constants;
  PlanResult result;
  Plan& plan = result.plan;
  plan.weights.insert(constants.begin(), constants.end());
  std::vector<Pattern> patterns;
  std::vector<PatternVerdict> verdicts;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    std::string reason = planner.obstacle(i);
    patterns.push_back({.anchor = i, .members = {i}});
    verdicts.push_back({.reason = reason});
    if (!reason.empty()) continue;
    verdicts.back().form = OpForm::weight_only;
    verdicts.back().precision = planner.add(i, plan) == 4 ? Precision::w4 : Precision::w8;
  }
  plan.ops = describe_ops(graph, patterns, verdicts);
  result.notes = planner.notes();
  note_slow_products(analyzed.index, plan, result.notes);
  if (recipe.quant_format == QuantFormat::qoperator) {
    result.notes.emplace_back(
        "quant_format has no effect: weights in blocks have operators of their own");
  }
  return result;
}

}  // namespace quantlens
