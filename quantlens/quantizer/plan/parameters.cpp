// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/least_error.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/coarse_constant.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

DType integer_dtype(std::optional<AskedDtype> dtype) {
  if (dtype == AskedDtype::int8) return DType::int8;
  if (dtype == AskedDtype::uint16) return DType::uint16;
  if (dtype == AskedDtype::int16) return DType::int16;
  if (dtype == AskedDtype::uint4) return DType::uint4;
  if (dtype == AskedDtype::int4) return DType::int4;
  return DType::uint8;
}

// A bias is stored as int32 with the scale input * weight; a weight channel whose scale is so small
// that its bias would not fit gets a larger one. Half of int32 is left for the sum of products.
void make_room_for_bias(std::vector<QParams>& weight, float input_scale, const Tensor& bias) {
  constexpr double kLargestCode = 1 << 30;
  const auto values = bias.data<float>();
  for (std::size_t c = 0; c < values.size(); ++c) {
    QParams& params = weight[weight.size() == 1 ? 0 : c];
    const double least = std::abs(static_cast<double>(values[c])) / (kLargestCode * input_scale);
    if (params.scale < least) params.scale = static_cast<float>(least);
  }
}

/// A weight that is 0 has code 0 in any scale, so its channel gets one in which the bias, all that
/// is left of it, is held as finely as floats hold it.
void fit_zeros_to_bias(std::vector<QParams>& params, const Tensor& weight, const Scheme& scheme,
                       float input_scale, const Tensor& bias) {
  constexpr double kCodes = 1 << 24;
  const std::vector<Range> ranges = extremes(weight, scheme.axis);
  const auto values = bias.data<float>();
  for (std::size_t c = 0; c < params.size(); ++c) {
    if (ranges[c].min != 0 || ranges[c].max != 0) continue;
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (params.size() == 1 || i == c) largest = std::max(largest, std::abs(double{values[i]}));
    }
    const double scale = largest / (kCodes * input_scale);
    if (std::isnormal(static_cast<float>(scale))) params[c].scale = static_cast<float>(scale);
  }
}

/// Whether the runtime's kernels on the CPU that the recipe is for saturate (TargetRow).
bool saturates(const Capabilities& able, const Recipe& recipe, const Target& target) {
  const TargetCpu own = target.vnni ? TargetCpu::vnni : TargetCpu::avx2;
  return able.saturates(recipe.target == TargetCpu::auto_ ? own : recipe.target);
}

}  // namespace

Scheme plain_scheme(const TensorRecipe& recipe) {
  const DType dtype = integer_dtype(recipe.dtype);
  const auto codes = static_cast<std::uint64_t>(code_limits(dtype).max - code_limits(dtype).min);
  return {.dtype = dtype,
          .symmetric = recipe.scheme == Symmetry::sym,
          .axis = {},
          .bits = static_cast<int>(std::bit_width(codes))};
}

Scheme activation_scheme(const Recipe& recipe) {
  TensorRecipe activation = recipe.activation;
  activation.dtype = activation_dtype(recipe);
  return plain_scheme(activation);
}

ReducedWeights::ReducedWeights(const Capabilities& able, const Recipe& recipe, const Target& target)
    : int8_(recipe.reduce_range == ReduceRange::true_ ||
            (recipe.reduce_range == ReduceRange::auto_ && saturates(able, recipe, target))),
      uint8_(recipe.reduce_range == ReduceRange::true_) {}

void ReducedWeights::reduce(Scheme& scheme) const {
  if ((scheme.dtype == DType::int8 && int8_) || (scheme.dtype == DType::uint8 && uint8_))
    scheme.bits = kReducedBits;
}

void note_reduced(const Recipe& recipe, PlanResult& result) {
  const auto is_reduced = [](const WeightPlan& weight) {
    return weight.scheme.dtype == DType::int8 && weight.scheme.bits == kReducedBits;
  };
  if (recipe.reduce_range != ReduceRange::auto_ ||
      std::ranges::none_of(result.plan.weights_quantized, is_reduced))
    return;
  std::string note = fmt::format(
      "target {}: int8 weights have 7 bits (reduce_range), since it adds up products of 8 bits in "
      "16 bits, where those of 8-bit weights saturate",
      recipe.target == TargetCpu::auto_ ? "of this CPU, without VNNI" : word(recipe.target));
  if (std::ranges::find(result.notes, note) == result.notes.end())
    result.notes.push_back(std::move(note));
}

bool is_wide(const OpRecipe& recipe) {
  return recipe.activation.dtype == AskedDtype::uint16 ||
         recipe.activation.dtype == AskedDtype::int16;
}

bool is_narrow(const OpRecipe& recipe) {
  return recipe.weight.dtype == AskedDtype::uint4 || recipe.weight.dtype == AskedDtype::int4;
}

const std::string* moved_from(const GraphIndex& index, const std::string& value) {
  const std::optional<std::size_t> producer = index.producer(value);
  if (!producer) return nullptr;
  const Node& node = index.graph().nodes[*producer];
  if (!moves_elements(node.kind) || node.inputs.empty()) return nullptr;
  return index.constant(node.inputs[0]) == nullptr ? &node.inputs[0] : nullptr;
}

std::string range_source(const GraphIndex& index, const std::string& value) {
  const std::string* source = &value;
  while (const std::string* before = moved_from(index, *source)) source = before;
  return *source;
}

std::vector<QParams> weight_params(const Node& node, const Tensor& weight, const Scheme& scheme,
                                   const TensorRecipe& recipe, Plan& plan) {
  if (recipe.algorithm == RangeAlgorithm::mse) {
    const FittedParams fitted = least_error_params(weight, scheme);
    if (fitted.error > 0) {
      plan.effects.push_back({.algorithm = AccuracyAlgorithm::weight_ranges,
                              .op = ref_of(node),
                              .gain_db = 10 * std::log10(fitted.full_error / fitted.error)});
    }
    return fitted.params;
  }
  std::vector<QParams> params;
  for (const Range& range : extremes(weight, scheme.axis)) {
    params.push_back(choose_params(range, scheme));
  }
  return params;
}

/// Builds one plan.
class Parameters::Builder {
 public:
  Builder(const Parameters& owner, const Selection& selection, const std::vector<OpRecipe>& recipes)
      : owner_(owner),
        index_(owner.index_),
        selection_(selection),
        recipes_(recipes),
        groups_(owner.groups(selection)) {}

  Plan build() {
    collect_uses();
    for (const Codes& codes : order_) add_activation(codes);
    for (std::size_t p = 0; p < owner_.prepared_.patterns.size(); ++p) {
      if (selection_.quantized[p]) add_constants(p);
    }
    return std::move(plan_);
  }

 private:
  const Node& anchor(std::size_t p) const {
    return index_.graph().nodes[owner_.prepared_.patterns[p].anchor];
  }
  std::vector<std::string> outputs(std::size_t p) const {
    return pattern_outputs(index_.graph(), owner_.prepared_.patterns[p]);
  }

  const std::string& leader(const std::string& value) const { return groups_.leader(value); }

  /// A value as codes: of 16 bits, or of 8. It may be both, for different readers.
  struct Codes {
    std::string value;
    bool wide = false;
    auto operator<=>(const Codes&) const = default;
  };

  /// What the pattern reads: the codes that are made, unless they are wider than it knows.
  Codes read_by(std::size_t p, const std::string& value) const {
    const auto made = made_.find(value);
    const bool wide = is_wide(recipes_[p]) && (made == made_.end() || made->second);
    return {value, wide};
  }
  bool is_made(const Codes& codes) const {
    const auto made = made_.find(codes.value);
    return made != made_.end() && made->second == codes.wide;
  }

  void collect_uses() {
    for (std::size_t p = 0; p < owner_.prepared_.patterns.size(); ++p) {
      if (!selection_.quantized[p]) continue;
      const Scheme scheme = plain_scheme(recipes_[p].activation);
      for (const std::size_t input : data_inputs(*owner_.prepared_.able, anchor(p))) {
        const std::string& value = anchor(p).inputs[input];
        const Codes codes = read_by(p, value);
        schemes_.try_emplace({leader(value), codes.wide}, scheme);
        if (!selection_.codes.contains(value) || is_made(codes)) continue;
        if (!uses_.contains(codes)) order_.push_back(codes);
        uses_[codes].push_back({op_id(anchor(p)), input});
      }
      for (const std::string& output : outputs(p)) {
        if (!selection_.made.contains(output)) continue;
        made_[output] = is_wide(recipes_[p]);
        const Codes codes{output, made_[output]};
        schemes_.try_emplace({leader(output), codes.wide}, scheme);
        order_.push_back(codes);
      }
    }
  }

  void add_activation(const Codes& codes) {
    const Range range = range_of(codes);
    const bool all = is_made(codes);
    plan_.activations.push_back({.value = codes.value,
                                 .scheme = scheme_of(codes),
                                 .params = params_of(codes),
                                 .min = range.min,
                                 .max = range.max,
                                 .all_uses = all,
                                 .uses = all ? std::vector<ValueUse>() : uses_[codes]});
  }

  Scheme scheme_of(const Codes& codes) {
    const Scheme& asked = schemes_.at({leader(codes.value), codes.wide});
    const std::optional<ClipBounds> bounds = bounds_of_maker(index_, leader(codes.value));
    const bool is_negative = range_of(codes).min < 0 && !(bounds && bounds->low >= 0);
    return code_scheme(owner_.prepared_.able->rules(), asked, is_negative);
  }

  /// Of the value that these are moved from, or of a table that is looked up.
  Range range_of(const Codes& codes) {
    const std::string& source = leader(codes.value);
    if (const auto joined = groups_.joined_range(source)) return *joined;
    if (const Range* range = owner_.find_range(source, codes.wide)) return *range;
    return extremes(aligned(*index_.constant(source)), {})[0];
  }

  QParams params_of(const Codes& codes) {
    const std::string& source = leader(codes.value);
    Range range = range_of(codes);
    const Scheme scheme = scheme_of(codes);
    if (!owner_.prepared_.able->rules().zero_points && !scheme.symmetric)
      range = {std::max(range.min, 0.0F), std::max(range.max, 0.0F)};
    const std::optional<std::size_t> producer = index_.producer(source);
    std::optional<ClipBounds> bounds;
    if (producer) bounds = clip_bounds(index_, index_.graph().nodes[*producer]);
    if (!bounds || !(bounds->low <= 0 && bounds->high >= 0)) return choose_params(range, scheme);
    return choose_params_within(range, {bounds->low, bounds->high}, scheme);
  }

  void add_constants(std::size_t p) {
    const Node& node = anchor(p);
    if (owner_.prepared_.able->needs_weight(node.kind)) {
      add_weight_and_bias(p);
      return;
    }
    for (const std::size_t input : data_inputs(*owner_.prepared_.able, node)) {
      if (!index_.constant(node.inputs[input])) continue;
      if (node.kind == Kind::matmul && input == operands_of(node)->weight) {
        add_weight_and_bias(p);
      } else {
        const Tensor tensor = aligned(*constant_input(owner_.prepared_, index_, node, input));
        const Scheme scheme = plain_scheme(recipes_[p].activation);
        add(name_of_input(owner_.prepared_, node, input), scheme,
            {choose_params(extremes(tensor, {})[0], scheme)}, {op_id(node), input});
      }
    }
  }

  Scheme weight_scheme(const Node& node, const OpRecipe& recipe, const Tensor& weight) const {
    Scheme scheme = plain_scheme(recipe.weight);
    if (!owner_.prepared_.able->rules().zero_points)
      scheme = {.dtype = DType::int8, .symmetric = true, .axis = {}, .bits = 8};
    owner_.reduced_.reduce(scheme);
    if (recipe.weight.granularity == Granularity::per_channel)
      scheme.axis = output_channel_axis(node, weight.shape());
    return scheme;
  }

  /// A constant that is added to sums of products, and where it is read.
  struct Bias {
    std::string weight;
    Tensor tensor;
    ValueUse use;
  };

  std::optional<Bias> bias_of(std::size_t p, const Tensor& weight) const {
    const Node& node = anchor(p);
    if (node.kind == Kind::matmul) return bias_behind_matmul(p, weight);
    const std::optional<std::size_t> input = operands_of(node)->bias;
    const Tensor* stored = input ? constant_input(owner_.prepared_, index_, node, *input) : nullptr;
    if (stored == nullptr) return std::nullopt;
    return Bias{
        name_of_input(owner_.prepared_, node, *input), aligned(*stored), {op_id(node), *input}};
  }

  // ONNX Runtime turns a MatMul of two matrices and the Add behind it into a Gemm, which is integer
  // only where its bias is. With more dimensions the Add stays, and is faster in float.
  std::optional<Bias> bias_behind_matmul(std::size_t p, const Tensor& weight) const {
    const Pattern& pattern = owner_.prepared_.patterns[p];
    const std::optional<std::size_t> add = bias_add(index_, pattern);
    const auto rank = owner_.ranks_.find(anchor(p).inputs[0]);
    if (!add || weight.shape().size() != 2 || (rank != owner_.ranks_.end() && rank->second != 2)) {
      return std::nullopt;
    }
    const Node& next = index_.graph().nodes[*add];
    const std::size_t input = bias_input(index_, next).value();
    const Tensor* bias = constant_input(owner_.prepared_, index_, next, input);
    if (bias == nullptr || bias->dtype() != DType::float32 || bias->shape().empty() ||
        bias->size() != weight.shape()[1]) {
      return std::nullopt;
    }
    const Tensor values = aligned(*bias);
    const bool finite =
        std::ranges::all_of(values.data<float>(), [](float v) { return std::isfinite(v); });
    if (!finite) return std::nullopt;
    return Bias{name_of_input(owner_.prepared_, next, input), values, {op_id(next), input}};
  }

  void add_weight_and_bias(std::size_t p) {
    const Node& node = anchor(p);
    const std::size_t input = operands_of(node)->weight;
    const Tensor weight = aligned(*constant_input(owner_.prepared_, index_, node, input));
    const bool has_integer_bias = owner_.prepared_.able->rules().integer_bias;
    const std::optional<Bias> bias = has_integer_bias ? bias_of(p, weight) : std::nullopt;
    Scheme scheme = weight_scheme(node, recipes_[p], weight);
    if (scheme.axis && bias &&
        bias->tensor.size() != weight.shape()[static_cast<std::size_t>(*scheme.axis)]) {
      scheme.axis.reset();
    }
    std::vector<QParams> params = weight_params(node, weight, scheme, recipes_[p].weight, plan_);
    const float input_scale =
        index_.constant(node.inputs[0]) ? 1.0F : params_of(read_by(p, node.inputs[0])).scale;
    if (bias) {
      fit_zeros_to_bias(params, weight, scheme, input_scale, bias->tensor);
      make_room_for_bias(params, input_scale, bias->tensor);
    }
    add(name_of_input(owner_.prepared_, node, input), scheme, params, {op_id(node), input});
    if (!bias) return;
    Scheme bias_scheme{.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32};
    if (scheme.axis) bias_scheme.axis = static_cast<int>(bias->tensor.shape().size()) - 1;
    for (QParams& one : params) one = {.scale = one.scale * input_scale, .zero_point = 0};
    add(bias->weight, bias_scheme, params, bias->use);
  }

  // One stored tensor serves all ops that want the same weight in the same way.
  void add(const std::string& weight, const Scheme& scheme, const std::vector<QParams>& params,
           const ValueUse& use) {
    for (const std::size_t known : by_weight_[weight]) {
      WeightPlan& plan = plan_.weights_quantized[known];
      if (plan.scheme == scheme && plan.params == params) {
        plan.uses.push_back(use);
        return;
      }
    }
    by_weight_[weight].push_back(plan_.weights_quantized.size());
    plan_.weights_quantized.push_back(
        {.weight = weight, .scheme = scheme, .params = params, .uses = {use}});
  }

  const Parameters& owner_;
  const GraphIndex& index_;
  const Selection& selection_;
  const std::vector<OpRecipe>& recipes_;
  CodeGroups groups_;
  Plan plan_;
  std::map<Codes, Scheme> schemes_;  // by leader
  std::map<Codes, std::vector<ValueUse>> uses_;
  std::map<std::string, bool> made_;  // values that their op gives as codes: whether of 16 bits
  std::vector<Codes> order_;
  std::map<std::string, std::vector<std::size_t>> by_weight_;
};

Parameters::Parameters(const GraphIndex& index, const Prepared& prepared, const Ranges& ranges,
                       const Recipe& recipe, const Target& target)
    : index_(index),
      prepared_(prepared),
      reduced_(*prepared.able, recipe, target),
      ranks_(quantlens::ranks(index)) {
  for (const ValueRange& range : ranges.values) ranges_[range.value] = {range.min, range.max};
  for (const ValueRange& range : ranges.wide) wide_ranges_[range.value] = {range.min, range.max};
}

const Range* Parameters::find_range(const std::string& value, bool wide) const {
  const auto& ranges = wide ? wide_ranges_ : ranges_;
  auto found = ranges.find(value);
  if (found == ranges.end()) found = ranges.find(range_source(index_, value));
  if (found != ranges.end()) return &found->second;
  return wide ? find_range(value) : nullptr;  // ranges that were given may know of one width only
}

std::string Parameters::range_obstacle(const Pattern& pattern,
                                       const std::set<std::string>& codes) const {
  const Graph& graph = index_.graph();
  const Node& anchor = graph.nodes[pattern.anchor];
  std::vector<std::string> values = pattern_outputs(graph, pattern);
  for (const std::size_t input : data_inputs(*prepared_.able, anchor)) {
    values.push_back(anchor.inputs[input]);
  }
  for (const std::string& value : values) {
    if (codes.contains(value) && find_range(value) == nullptr) {
      return fmt::format(
          "calibration has no range for its value '{}': it saw no finite float, or only that "
          "there are masks among them (algorithms that look at histograms see more)",
          printable(value));
    }
  }
  return {};
}

std::string Parameters::coarse_obstacle(const Pattern& pattern, const OpRecipe& recipe) const {
  const Node& node = index_.graph().nodes[pattern.anchor];
  if (node.inputs.size() != 2) return {};
  const std::size_t input = index_.constant(node.inputs[0]) != nullptr ? 0 : 1;
  const Tensor* constant = index_.constant(node.inputs[input]);
  const Range* data = find_range(node.inputs[1 - input], is_wide(recipe));
  const Range* result = find_range(pattern_output(index_.graph(), pattern), is_wide(recipe));
  if (constant == nullptr || data == nullptr || result == nullptr) return {};
  return coarse_constant(node.kind, *constant, {*data, *result}, plain_scheme(recipe.activation));
}

CodeGroups Parameters::groups(const Selection& selection) const {
  return {index_, prepared_, selection,
          [this](const std::string& value) { return find_range(value); }};
}

std::map<std::size_t, std::string> Parameters::join_obstacles(const Selection& selection) const {
  return groups(selection).obstacles();
}

Plan Parameters::plan(const Selection& selection, const std::vector<OpRecipe>& recipes) const {
  return Builder(*this, selection, recipes).build();
}

}  // namespace quantlens
