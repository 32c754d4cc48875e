// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/input_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quantlens/graph/roles_of.h"
#include "quantlens/stats/channel.h"

namespace quantlens {
namespace {

/// Axes behind the only one that is longer than 1; of a scalar 0.
std::optional<std::size_t> axes_behind(const Shape& shape) {
  std::size_t behind = 0;
  bool is_found = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (is_found) return {};
    is_found = true;
    behind = shape.size() - 1 - i;
  }
  return behind;
}

/// The axis of the weight along which products are summed up; nothing where there is none alone.
std::optional<int> summed_axis(const Node& op, std::size_t operand, const Shape& shape) {
  const bool multiplies = op.kind == Kind::matmul || op.kind == Kind::gemm || op.kind == Kind::conv;
  if (!multiplies || operand != operands_of(op)->weight || groups_of(op) != 1) return {};
  const std::optional<WeightAxes> axes = weight_axes(op, shape.size());
  return axes ? std::optional(static_cast<int>(axes->input)) : std::nullopt;
}

/// Whether nothing but its codes is made of what an op gives.
bool becomes_codes(const FloatView& quantized, const FloatView::Op& op) {
  const Node& node = quantized.node(op);
  const auto& nodes = quantized.index().graph().nodes;
  if (quantized.values()[*op.outputs.front()].is_output) return false;
  return std::ranges::all_of(quantized.index().uses(node.outputs.front()), [&](const Use& use) {
    return nodes[use.node].kind == Kind::quantize;
  });
}

bool can_be_taken_back(float factor) {
  return std::isfinite(factor) && factor > 0 && std::isfinite(1 / factor) && 1 / factor > 0;
}

}  // namespace

std::optional<InputFactors> input_factors(const FloatView& quantized,
                                          std::span<const std::optional<OpMatch>> ops,
                                          std::size_t value) {
  const std::optional<std::size_t> producer = quantized.values()[value].producer;
  if (!producer || ops[*producer]) return {};
  const FloatView::Op& product = quantized.ops()[*producer];
  if (product.kind != Kind::mul || product.operands.size() != 2) return {};
  if (product.outputs.empty() || !product.outputs.front() || !becomes_codes(quantized, product))
    return {};
  const std::size_t at = product.operands[0].constant ? 0 : 1;
  if (!product.operands[at].constant || !product.operands[1 - at].value) return {};
  const FloatView::Constant& constant = quantized.constants()[*product.operands[at].constant];
  if (constant.stored == nullptr || constant.codes || !is_float(constant.stored->dtype()))
    return {};
  const std::optional<std::size_t> behind = axes_behind(constant.stored->shape());
  if (!behind) return {};
  const Tensor floats = to_float32(*constant.stored);
  const auto factors = floats.data<float>();
  if (factors.empty() || !std::ranges::all_of(factors, can_be_taken_back)) return {};
  return InputFactors{.name = constant.name,
                      .factors = {factors.begin(), factors.end()},
                      .axes_behind = *behind,
                      .data = *product.operands[1 - at].value};
}

std::optional<InputFactors> factors_of_weight(const FloatView& reference,
                                              const FloatView& quantized,
                                              const StructureMatch& match, std::size_t q,
                                              std::size_t operand) {
  if (!match.ops[q] || operand > 1) return {};
  const auto& data = quantized.ops()[q].operands[1 - operand].value;
  const std::size_t at = match.ops[q]->swapped ? operand : 1 - operand;
  const auto& operands = reference.ops()[match.ops[q]->reference].operands;
  if (!data || at >= operands.size() || !operands[at].value) return {};
  std::optional<InputFactors> found = input_factors(quantized, match.ops, *data);
  if (!found) return {};
  const auto& multiplied = match.values[quantized.values()[found->data].root];
  const std::size_t read = reference.values()[*operands[at].value].root;
  if (!multiplied || reference.values()[multiplied->reference].root != read) return {};
  return found;
}

std::optional<Tensor> with_input_factors(const Node& op, std::size_t operand, const Tensor& weight,
                                         std::span<const float> factors, bool is_divided) {
  const std::optional<int> axis = summed_axis(op, operand, weight.shape());
  if (!axis) return {};
  const AxisLayout layout = axis_layout(weight.shape(), *axis);
  if (factors.size() != 1 && factors.size() != layout.channels) return {};
  const auto values = weight.data<float>();
  std::vector<float> changed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / layout.inner % layout.channels;
    const float factor = factors[factors.size() == 1 ? 0 : channel];
    changed[i] = is_divided ? values[i] / factor : values[i] * factor;
  }
  return Tensor::from<float>(weight.shape(), std::move(changed));
}

}  // namespace quantlens
