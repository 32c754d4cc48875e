// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/guard_float.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "quantlens/quantizer/capability.h"

namespace quantlens {
namespace {

constexpr std::size_t kBias = 2;

/// Whether the op reads codes that were dequantized.
bool reads_codes(const Node& node, const Plan& plan) {
  const ValueUse use{op_id(node), 0};
  return std::ranges::any_of(plan.activations, [&](const ActivationPlan& activation) {
    if (activation.value != node.inputs[0]) return false;
    return activation.all_uses || std::ranges::find(activation.uses, use) != activation.uses.end();
  });
}

std::int64_t output_channels(const Node& node, const Tensor& weight) {
  const std::optional<int> axis = output_channel_axis(node, weight.shape());
  const std::int64_t groups =
      node.kind == Kind::conv_transpose ? attribute_int(node, "group", 1) : 1;
  return axis ? weight.shape()[static_cast<std::size_t>(*axis)] * groups : 0;
}

/// What the op reads as its bias after preparation; empty: nothing.
std::string bias_name(const Node& node, const Plan& plan) {
  for (const InputEdit& edit : plan.input_edits) {
    if (edit.use == ValueUse{op_id(node), kBias}) return edit.weight;
  }
  return node.inputs.size() > kBias ? node.inputs[kBias] : std::string();
}

/// A scale that leaves room for the largest value; nothing where a value is not finite.
std::optional<float> fine_scale(const Tensor& bias) {
  const Tensor values = aligned(bias);
  double largest = 0;
  for (const float value : values.data<float>()) {
    if (!std::isfinite(value)) return std::nullopt;
    largest = std::max(largest, std::abs(double{value}));
  }
  const auto scale = static_cast<float>(std::ldexp(largest, -30));
  return std::isnormal(scale) ? scale : 1.0F;
}

void guard(const GraphIndex& index, const Prepared& prepared, const Node& node, Plan& plan) {
  const Tensor* weight = constant_input(prepared, index, node, 1);
  if (weight == nullptr || weight->dtype() != DType::float32) return;
  std::string name = bias_name(node, plan);
  float scale = 1;
  if (name.empty()) {
    const std::int64_t channels = output_channels(node, *weight);
    if (channels == 0) return;
    name = op_id(node) + "/bias";
    plan.weights[name] =
        Tensor::from<float>({channels}, std::vector<float>(static_cast<std::size_t>(channels)));
    const ValueUse use{op_id(node), kBias};
    plan.input_edits.push_back({.use = use, .weight = name, .original = ""});
  } else {
    const Tensor* bias = constant_input(prepared, index, node, kBias);
    if (bias == nullptr || bias->dtype() != DType::float32 || bias->shape().size() != 1) return;
    const std::optional<float> fine = fine_scale(*bias);
    if (!fine) return;
    scale = *fine;
  }
  plan.weights_quantized.push_back(
      {.weight = name,
       .scheme = {.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32},
       .params = {{.scale = scale, .zero_point = 0}},
       .uses = {{op_id(node), kBias}}});
}

}  // namespace

void guard_float(const GraphIndex& index, const Prepared& prepared, const Selection& selection,
                 Plan& plan) {
  for (std::size_t p = 0; p < prepared.patterns.size(); ++p) {
    const Pattern& pattern = prepared.patterns[p];
    const Node& node = index.graph().nodes[pattern.anchor];
    const bool weighted =
        node.kind == Kind::conv || node.kind == Kind::gemm || node.kind == Kind::conv_transpose;
    if (selection.quantized[p] || !weighted) continue;
    if (!selection.codes.contains(pattern_output(index.graph(), pattern))) continue;
    if (reads_codes(node, plan)) guard(index, prepared, node, plan);
  }
}

}  // namespace quantlens
