// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/guard_integer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "quantlens/quantizer/prepare.h"

namespace quantlens {
namespace {

const WeightPlan* plan_at(const Plan& plan, const ValueUse& use) {
  const auto found = std::ranges::find_if(plan.weights_quantized, [&](const WeightPlan& weight) {
    return std::ranges::find(weight.uses, use) != weight.uses.end();
  });
  return found == plan.weights_quantized.end() ? nullptr : &*found;
}

const ActivationPlan* codes_read_by(const Plan& plan, const Node& node) {
  const ValueUse use{op_id(node), 0};
  const auto found = std::ranges::find_if(plan.activations, [&](const ActivationPlan& codes) {
    return codes.value == node.inputs[0] &&
           (codes.all_uses || std::ranges::find(codes.uses, use) != codes.uses.end());
  });
  return found == plan.activations.end() ? nullptr : &*found;
}

/// Scales of products, one or one a column; nothing where a bias passes half of int32, of which the
/// other half is left for the products.
std::optional<std::vector<QParams>> bias_params(std::span<const float> bias, float input_scale,
                                                const std::vector<QParams>& weight) {
  constexpr double kLargestCode = 1 << 30;
  std::vector<QParams> params;
  params.reserve(weight.size());
  for (const QParams& each : weight)
    params.push_back({.scale = each.scale * input_scale, .zero_point = 0});
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const float scale = params[params.size() == 1 ? 0 : c].scale;
    const bool fits = std::abs(double{bias[c]}) <= kLargestCode * double{scale};
    if (!std::isnormal(scale) || !fits) return std::nullopt;
  }
  return params;
}

bool store_bias(const GraphIndex& index, const Node& matmul, Plan& plan) {
  const std::vector<Use>& uses = index.uses(op_id(matmul));
  if (uses.size() != 1 || index.is_output(op_id(matmul))) return false;
  const Node& add = index.graph().nodes[uses[0].node];
  const std::optional<std::size_t> input = bias_input(index, add);
  if (!input || plan_at(plan, {op_id(add), *input}) != nullptr) return false;
  const auto edit =
      std::ranges::find(plan.input_edits, ValueUse{op_id(add), *input}, &InputEdit::use);
  const std::string name = edit == plan.input_edits.end() ? add.inputs[*input] : edit->weight;
  const auto own = plan.weights.find(name);
  const Tensor* stored = own != plan.weights.end() ? &own->second : index.constant(name);
  const WeightPlan* weight = plan_at(plan, {op_id(matmul), 1});
  const ActivationPlan* codes = codes_read_by(plan, matmul);
  if (stored == nullptr || stored->dtype() != DType::float32 || stored->shape().size() != 1 ||
      weight == nullptr || codes == nullptr) {
    return false;
  }
  const Tensor bias = aligned(*stored);
  const std::size_t scales = weight->params.size();
  if (scales != 1 && scales != static_cast<std::size_t>(bias.size())) return false;
  auto params = bias_params(bias.data<float>(), codes->params.scale, weight->params);
  if (!params) return false;
  Scheme scheme{.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32};
  if (scales != 1) scheme.axis = 0;
  plan.weights_quantized.push_back({.weight = name,
                                    .scheme = scheme,
                                    .params = std::move(*params),
                                    .uses = {{op_id(add), *input}}});
  return true;
}

}  // namespace

std::set<std::string> guard_integer(const GraphIndex& index, const std::set<std::string>& ops,
                                    Plan& plan) {
  std::set<std::string> changed;
  for (const Node& node : index.graph().nodes) {
    if (node.kind != Kind::matmul || !ops.contains(op_id(node))) continue;
    if (store_bias(index, node, plan)) changed.insert(op_id(node));
  }
  return changed;
}

}  // namespace quantlens
