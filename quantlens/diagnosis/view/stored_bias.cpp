// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/stored_bias.h"

#include <algorithm>
#include <string>
#include <vector>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

bool is_on_codes(Kind kind) {
  return kind == Kind::qconv || kind == Kind::qgemm;
}

/// `codes` in steps of `scales` times `factor`: one for all, or one an element.
std::optional<Tensor> in_floats(const Tensor& codes, const Tensor& scales, float factor) {
  if (codes.dtype() != DType::int32 || codes.shape().size() != 1) return {};
  if (scales.size() != 1 && scales.size() != codes.size()) return {};
  std::vector<QParams> params;
  const Tensor floats = to_float32(scales);
  for (const float scale : floats.data<float>()) params.push_back({factor * scale, 0});
  return dequantize(aligned(codes), params, params.size() == 1 ? std::nullopt : std::optional(0));
}

std::optional<Tensor> behind_dequantize(const GraphIndex& graph, const std::string& bias) {
  const std::optional<std::size_t> maker = graph.producer(bias);
  if (!maker) return {};
  const Node& node = graph.graph().nodes[*maker];
  if (node.kind != Kind::dequantize || node.inputs.empty()) return {};
  const Tensor* codes = graph.constant(node.inputs[0]);
  const Tensor* scales = graph.constant(scale_of(node));
  if (codes == nullptr || scales == nullptr || !is_float(scales->dtype())) return {};
  return in_floats(*codes, *scales, 1);
}

/// The scale beside an input of an op on codes; null where it is not constant.
const Tensor* scale_beside(const GraphIndex& graph, const Node& op, std::size_t input) {
  const std::optional<IntegerOp> integer = integer_op(op);
  if (!integer) return nullptr;
  const auto found = std::ranges::find(integer->operands, input, &CodeInputs::tensor);
  if (found == integer->operands.end() || !found->scale) return nullptr;
  return graph.constant(input_of(op, *found->scale));
}

std::optional<Tensor> of_codes(const GraphIndex& graph, const Node& op, const Tensor& codes) {
  const roles::Operands& operands = *operands_of(op);
  const Tensor* data = scale_beside(graph, op, operands.data);
  const Tensor* weight = scale_beside(graph, op, operands.weight);
  if (data == nullptr || weight == nullptr || data->size() != 1) return {};
  if (!is_float(data->dtype()) || !is_float(weight->dtype())) return {};
  return in_floats(codes, *weight, to_float32(*data).data<float>()[0]);
}

}  // namespace

std::optional<std::size_t> bias_input(const Node& op) {
  const roles::Operands* operands = operands_of(op);
  return operands != nullptr ? operands->bias : std::nullopt;
}

std::optional<Tensor> stored_bias(const GraphIndex& graph, const Node& op) {
  const std::string& bias = bias_of(op);
  const Tensor* stored = graph.constant(bias);
  if (stored == nullptr) return behind_dequantize(graph, bias);
  if (is_on_codes(op.kind) && !is_float(stored->dtype())) return of_codes(graph, op, *stored);
  return is_float(stored->dtype()) ? std::optional(to_float32(*stored)) : std::nullopt;
}

}  // namespace quantlens
