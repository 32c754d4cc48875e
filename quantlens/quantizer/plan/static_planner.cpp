// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/static_planner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/obstacles.h"
#include "quantlens/quantizer/analyze/pre_post_process.h"
#include "quantlens/quantizer/plan/describe_ops.h"
#include "quantlens/quantizer/plan/guard_float.h"
#include "quantlens/quantizer/plan/kernel_notes.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/quantizer/plan/select.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens {
namespace {

constexpr const char* kFirstKept =
    "the recipe keeps the first Conv, MatMul or Gemm in float "
    "(first_conv_or_matmul_quantization)";
constexpr const char* kLastKept =
    "the recipe keeps the last Conv, MatMul or Gemm in float (last_conv_or_matmul_quantization)";
constexpr const char* kAroundKept =
    "the recipe keeps ops before the first and behind the last Conv, MatMul or Gemm in float "
    "(pre_post_process_quantization)";

}  // namespace

class StaticPlanner::Decisions {
 public:
  Decisions(const Analyzed& analyzed, const Recipe& recipe)
      : graph_(analyzed.model.graph),
        index_(analyzed.index),
        types_(element_types(index_)),
        prepared_(analyzed.prepared),
        recipe_(recipe),
        rules_(recipe),
        vocabulary_(analyzed.model.vocabulary) {
    for (const Pattern& pattern : prepared_.patterns) {
      const Wish wish = wish_of(pattern);
      wishes_.forced.push_back(wish.forced);
      wishes_.wide.push_back(is_wide(wish.recipe));
      wishes_.obstacles.push_back(obstacle(pattern, wish));
      recipes_.push_back(wish.recipe);
    }
    wishes_.float_results = float_results();
    anyway_ = wishes_;
    keep_float();
  }

  std::set<std::size_t> impossible() const {
    std::set<std::size_t> nodes;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      if (!anyway_.obstacles[p].empty()) nodes.insert(prepared_.patterns[p].anchor);
    }
    return nodes;
  }

  std::set<std::string> values() const {
    std::set<std::string> values;
    for (const std::string& value : select(index_, prepared_, wishes_).codes) {
      values.insert(range_source(index_, value));
    }
    return values;
  }

  std::set<std::string> all_values() const {
    std::set<std::string> values;
    const auto add = [&](const std::string& value) {
      if (index_.constant(value) == nullptr) values.insert(range_source(index_, value));
    };
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      if (!anyway_.obstacles[p].empty()) continue;
      for (const std::size_t input : data_inputs(*prepared_.able, anchor(p)))
        add(anchor(p).inputs[input]);
      for (const std::string& output : pattern_outputs(graph_, prepared_.patterns[p])) add(output);
    }
    return values;
  }

  std::map<std::string, Scheme> wide_values() const {
    const Selection selection = select(index_, prepared_, wishes_);
    std::map<std::string, Scheme> schemes;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      if (!selection.quantized[p] || !wishes_.wide[p]) continue;
      std::vector<std::string> values = pattern_outputs(graph_, prepared_.patterns[p]);
      for (const std::size_t input : data_inputs(*prepared_.able, anchor(p))) {
        values.push_back(anchor(p).inputs[input]);
      }
      for (const std::string& value : values) {
        if (!selection.codes.contains(value)) continue;
        schemes.try_emplace(range_source(index_, value), plain_scheme(recipes_[p].activation));
      }
    }
    return schemes;
  }

  std::map<std::string, TensorRecipe> activations() const {
    std::unordered_map<std::size_t, std::size_t> patterns;  // by node
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      for (const std::size_t member : prepared_.patterns[p].members) patterns[member] = p;
    }
    std::map<std::string, TensorRecipe> recipes;
    for (const std::string& value : values()) {
      const std::optional<std::size_t> node = index_.producer(value);
      const auto pattern = node ? patterns.find(*node) : patterns.end();
      recipes[value] =
          pattern == patterns.end() ? recipe_.activation : recipes_[pattern->second].activation;
    }
    return recipes;
  }

  PlanResult plan(const Ranges& ranges, const Target& target) const {
    const Parameters parameters(index_, prepared_, ranges, recipe_, target);
    const Selection selection = select_with_ranges(parameters);
    Plan plan = parameters.plan(selection, recipes_);
    if (recipe_.quant_format != QuantFormat::default_ && prepared_.able->rules().finds_kernels)
      plan.quant_format = recipe_.quant_format;
    plan.folds = prepared_.folds.list();
    plan.input_edits = prepared_.input_edits.list();
    plan.weights = prepared_.weights;
    plan.weights.insert(prepared_.constants.begin(), prepared_.constants.end());
    if (prepared_.able->rules().finds_kernels) guard_float(index_, prepared_, selection, plan);
    const CodesOf codes = codes_of(plan);
    plan.ops = describe_ops(graph_, prepared_.patterns, verdicts(selection, codes));
    PlanResult result{.plan = std::move(plan),
                      .notes = rules_.notes(graph_, outcomes(selection), prepared_.gone,
                                            prepared_.able->rules())};
    note_switches(result.notes);
    note_reduced(recipe_, result);
    note_kernels(recipe_, prepared_.able->rules(), result.notes);
    note_float_kernels(selection, codes_of(result.plan), result.notes);
    if (lacks_channel_scales_) {
      result.notes.push_back(fmt::format(
          "the model's operators ({}) know no scale for each channel: each weight has one scale, "
          "which may cost accuracy; export it again with {} or newer",
          vocabulary_.version, vocabulary_.whole));
    }
    return result;
  }

 private:
  /// How each value becomes codes. Valid while the plan's list stays where it is.
  using CodesOf = std::unordered_map<std::string, const ActivationPlan*>;
  static CodesOf codes_of(const Plan& plan) {
    CodesOf codes;
    for (const ActivationPlan& activation : plan.activations) {
      codes.emplace(activation.value, &activation);
    }
    return codes;
  }

  // A pattern stays float as soon as one of its ops is asked to, but for a Mul or Add that is no
  // more there (a note says so), and for an op that has no integer form anyway; the algorithm is
  // the last one that is asked for, other options are the anchor's.
  Wish wish_of(const Pattern& pattern) {
    Wish wish = rules_.for_op(graph_.nodes[pattern.anchor]);
    for (std::size_t i = 1; i < pattern.members.size(); ++i) {
      const Node& node = graph_.nodes[pattern.members[i]];
      const OpRecipe member = rules_.for_op(node).recipe;
      const bool is_folded = prepared_.folds.contains(op_id(node));
      const bool has_wish =
          is_folded ? node.kind == Kind::batch_norm : prepared_.able->has(node.kind);
      if (wants_float(member) && has_wish) wish.recipe.activation.dtype = AskedDtype::fp32;
      if (member.activation.algorithm != recipe_.activation.algorithm)
        wish.recipe.activation.algorithm = member.activation.algorithm;
      if (member.activation.percentile != recipe_.activation.percentile)
        wish.recipe.activation.percentile = member.activation.percentile;
    }
    if (!vocabulary_.channel_scales && wish.recipe.weight.granularity == Granularity::per_channel) {
      wish.recipe.weight.granularity = Granularity::per_tensor;
      lacks_channel_scales_ = vocabulary_.codes;
    }
    return wish;
  }

  // Why it would stay float whatever the recipe keeps in float.
  std::string obstacle(const Pattern& pattern, const Wish& wish) const {
    const bool forced = wish.forced;
    const Node& anchor = graph_.nodes[pattern.anchor];
    if (index_.constant(op_id(anchor)) != nullptr) return kConstantResult;
    if (const auto kept = prepared_.kept_float.find(pattern.anchor);
        kept != prepared_.kept_float.end() && !(forced && prepared_.able->has(anchor.kind))) {
      return kept->second;
    }
    if (!prepared_.able->has(anchor.kind))
      return fmt::format("{} has no integer form here", anchor.type);
    if (!vocabulary_.codes) {
      return fmt::format(
          "the model's operators ({}) know no QuantizeLinear: export it again with {} or newer",
          vocabulary_.version, vocabulary_.whole);
    }
    if (const auto reason = prepared_.able->obstacle(anchor); !reason.empty())
      return std::string(reason);
    if (!prepared_.able->rules().all_widths && (is_wide(wish.recipe) || is_narrow(wish.recipe)))
      return "its runtime knows codes of 8 bits alone";
    const std::vector<std::size_t> inputs = data_inputs(*prepared_.able, anchor);
    if (std::string reason = type_obstacle(anchor, inputs, types_); !reason.empty()) return reason;
    return operand_obstacle(anchor, forced);
  }

  // What the recipe keeps in float; an entry for an op wins over the rules on where ops stand.
  void keep_float() {
    const RecipeSwitches& switches = recipe_.recipes;
    std::vector<std::size_t> counted;  // by first_ and last_conv_or_matmul_quantization
    for (std::size_t p = 0; p < recipes_.size(); ++p) {
      if (wishes_.obstacles[p].empty() && is_conv_or_matmul(anchor(p))) counted.push_back(p);
    }
    if (!counted.empty() && !switches.first_conv_or_matmul_quantization) {
      keep_float(counted.front(), kFirstKept);
    }
    if (!counted.empty() && !switches.last_conv_or_matmul_quantization) {
      keep_float(counted.back(), kLastKept);
    }
    if (!switches.pre_post_process_quantization) {
      const std::vector<bool> inside = without_pre_post_process(index_);
      for (std::size_t p = 0; p < recipes_.size(); ++p) {
        if (!inside[prepared_.patterns[p].anchor]) keep_float(p, kAroundKept);
      }
    }
    for (std::size_t p = 0; p < recipes_.size(); ++p) {
      if (wishes_.obstacles[p].empty() && wants_float(recipes_[p])) {
        wishes_.obstacles[p] = kKeptByRecipe;
      }
    }
  }

  void keep_float(std::size_t p, const char* reason) {
    if (wishes_.obstacles[p].empty() && !wishes_.forced[p]) wishes_.obstacles[p] = reason;
  }

  const Node& anchor(std::size_t p) const { return graph_.nodes[prepared_.patterns[p].anchor]; }

  std::vector<bool> float_results() const {
    const std::vector<std::string>& types = recipe_.recipes.optypes_to_exclude_output_quant;
    std::vector<bool> result;
    for (const Pattern& pattern : prepared_.patterns) {
      const std::string& type = graph_.nodes[pattern.anchor].type;
      result.push_back(std::ranges::find(types, type) != types.end());
    }
    return result;
  }

  // What became of each op, and what would have without the wishes to keep ops in float.
  std::unordered_map<std::string, RecipeRules::Outcome> outcomes(const Selection& selection) const {
    if (recipe_.op_type_dict.empty() && recipe_.op_name_dict.empty()) return {};
    const Selection anyway = select(index_, prepared_, anyway_);
    std::unordered_map<std::string, RecipeRules::Outcome> result;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      for (const std::size_t member : prepared_.patterns[p].members) {
        const std::string& op = op_id(graph_.nodes[member]);
        result[op] = {.name = op_name(graph_.nodes[member]),
                      .reason = selection.reasons[p],
                      .anyway_reason = anyway.reasons[p],
                      .into = prepared_.folds.contains(op) ? op_name(anchor(p)) : ""};
      }
    }
    return result;
  }

  void note_switches(std::vector<std::string>& notes) const {
    std::set<std::string> types;
    for (const Node& node : graph_.nodes) types.insert(node.type);
    for (const std::string& type : recipe_.recipes.optypes_to_exclude_output_quant) {
      constexpr const char* kOption = "recipes.optypes_to_exclude_output_quant";
      if (!types.contains(type)) {
        const std::vector<std::string> list(types.begin(), types.end());
        const std::string near = did_you_mean(type, list);
        notes.push_back(fmt::format("{}: the model has no op of type '{}'{}{}", kOption,
                                    printable(type), near.empty() ? "" : "; ", near));
        continue;
      }
      const auto op = std::ranges::find(graph_.nodes, type, &Node::type);
      const Capability* row = prepared_.able->row(op->kind);
      if (row != nullptr && row->needs_integer_output) {
        notes.push_back(fmt::format(
            "{}: {} has no effect: its integer kernel gives codes only, so without them it would "
            "compute in float; keep it in float by op_type_dict if that is wanted",
            kOption, printable(type)));
      }
    }
  }

  // Which ops read and give codes that the runtime turns into floats before it computes.
  void note_float_kernels(const Selection& selection, const CodesOf& codes,
                          std::vector<std::string>& notes) const {
    std::vector<std::string> wide;
    std::vector<std::string> narrow;
    std::vector<std::string> bounded;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      if (!selection.quantized[p] || precision(p, codes) != Precision::fp32) continue;
      (wishes_.wide[p]        ? wide
       : has_narrow_weight(p) ? narrow
                              : bounded)
          .push_back(op_name(anchor(p)));
    }
    const auto note = [&](const char* what, const std::vector<std::string>& names) {
      if (!names.empty()) {
        notes.push_back(fmt::format("{}: {}, computed in float", examples(names), what));
      }
    };
    note("activations are stored in 16 bits", wide);
    note("weights are stored in 4 bits", narrow);
    note("codes do not end at the bounds of a Relu or Clip", bounded);
  }

  static std::string examples(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string text = counted(names.size(), "op") + " (";
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
      text += (i == 0 ? "" : ", ") + printable(names[i]);
    }
    return text + (names.size() > kMost ? ", ...)" : ")");
  }

  bool has_narrow_weight(std::size_t p) const {
    return is_narrow(recipes_[p]) && is_conv_or_matmul(anchor(p)) &&
           constant_weight(prepared_, index_, anchor(p)) != nullptr;
  }

  // What the runtime computes a quantized pattern in.
  Precision precision(std::size_t p, const CodesOf& codes) const {
    const Capability& row = *prepared_.able->row(anchor(p).kind);
    if (wishes_.wide[p]) return row.moves_all_widths ? Precision::int16 : Precision::fp32;
    if (has_narrow_weight(p)) return Precision::fp32;
    return is_saturation(p, codes) ? Precision::int8 : Precision::fp32;
  }

  // Of a Relu or Clip by itself: whether its codes end where its bounds are.
  bool is_saturation(std::size_t p, const CodesOf& codes_of) const {
    const Node& node = anchor(p);
    std::optional<ClipBounds> bounds = clip_bounds(index_, node);
    if (node.kind == Kind::relu) bounds = ClipBounds{.low = 0};
    if (!bounds) return true;
    const auto found = codes_of.find(op_id(node));
    if (found == codes_of.end()) return false;
    const ActivationPlan& codes = *found->second;
    const CodeRange limits = code_limits(codes.scheme.dtype);
    return quantize(bounds->low, codes.params, codes.scheme.dtype) == limits.min &&
           quantize(bounds->high, codes.params, codes.scheme.dtype) == limits.max;
  }

  Selection select_with_ranges(const Parameters& parameters) const {
    Wishes wishes = wishes_;
    while (true) {
      Selection selection = select(index_, prepared_, wishes);
      bool complete = true;
      for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
        if (!selection.quantized[p]) continue;
        std::string& obstacle = wishes.obstacles[p];
        obstacle = parameters.range_obstacle(prepared_.patterns[p], selection.codes);
        if (obstacle.empty() && !wishes.forced[p])
          obstacle = parameters.coarse_obstacle(prepared_.patterns[p], recipes_[p]);
        if (!obstacle.empty()) complete = false;
      }
      if (complete) {
        for (auto& [p, obstacle] : parameters.join_obstacles(selection)) {
          wishes.obstacles[p] = obstacle;
          complete = false;
        }
      }
      if (complete) return selection;
    }
  }

  std::string operand_obstacle(const Node& anchor, bool forced) const {
    if (std::string reason = opaque_obstacle(graph_, anchor); !reason.empty()) return reason;
    if (prepared_.able->needs_weight(anchor.kind)) return weighted_obstacle(anchor);
    if (anchor.kind == Kind::clip && !clip_bounds(index_, anchor)) {
      return "its bounds are computed at run time";
    }
    std::size_t constants = 0;
    const std::vector<std::size_t> inputs = data_inputs(*prepared_.able, anchor);
    for (const std::size_t input : inputs) {
      const Tensor* tensor = index_.constant(anchor.inputs[input]);
      if (!tensor) continue;
      ++constants;
      if (std::string reason = constant_obstacle(*tensor, "constant operand"); !reason.empty())
        return reason;
    }
    if (constants < inputs.size()) return {};
    if (anchor.kind != Kind::gather) return kConstantResult;
    return forced ? "" : "it looks up a constant table: int8 would add rounding and save no time";
  }

  std::string weighted_obstacle(const Node& anchor) const {
    if (index_.constant(data_of(anchor))) return "its data input is constant";
    const roles::Operands& operands = *operands_of(anchor);
    const Tensor* weight = constant_weight(prepared_, index_, anchor);
    if (!weight) return "its weight is computed at run time";
    if (std::string reason = constant_obstacle(*weight, "weight"); !reason.empty()) return reason;
    const Tensor* bias =
        operands.bias ? constant_input(prepared_, index_, anchor, *operands.bias) : nullptr;
    if (!bias) return bias_of(anchor).empty() ? "" : "its bias is computed at run time";
    if (bias->shape().size() > 1) return "its bias is no vector";
    return constant_obstacle(*bias, "bias");
  }

  std::vector<PatternVerdict> verdicts(const Selection& selection, const CodesOf& codes) const {
    std::vector<PatternVerdict> verdicts;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      const bool quantized = selection.quantized[p];
      verdicts.push_back({.form = quantized ? OpForm::static_ : OpForm::float_,
                          .precision = quantized ? precision(p, codes) : Precision::fp32,
                          .reason = selection.reasons[p]});
    }
    return verdicts;
  }

  const Graph& graph_;
  const GraphIndex& index_;
  std::unordered_map<std::string, DType> types_;
  const Prepared& prepared_;
  const Recipe& recipe_;
  RecipeRules rules_;
  const Vocabulary& vocabulary_;
  bool lacks_channel_scales_ = false;
  std::vector<OpRecipe> recipes_;  // by pattern
  Wishes wishes_;
  Wishes anyway_;  // without what the recipe keeps in float
};

StaticPlanner::StaticPlanner(const Analyzed& analyzed, const Recipe& recipe)
    : decisions_(std::make_unique<const Decisions>(analyzed, recipe)) {}

StaticPlanner::~StaticPlanner() = default;

std::set<std::size_t> StaticPlanner::impossible() const {
  return decisions_->impossible();
}

std::set<std::string> StaticPlanner::values() const {
  return decisions_->values();
}

std::set<std::string> StaticPlanner::all_values() const {
  return decisions_->all_values();
}

std::map<std::string, Scheme> StaticPlanner::wide_values() const {
  return decisions_->wide_values();
}

std::map<std::string, TensorRecipe> StaticPlanner::activations() const {
  return decisions_->activations();
}

PlanResult StaticPlanner::plan(const Ranges& ranges, const Target& target) const {
  return decisions_->plan(ranges, target);
}

}  // namespace quantlens
