// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/stored_bias.h"

#include <string>
#include <vector>

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
  if (node.kind != Kind::dequantize || node.inputs.size() < 2) return {};
  const Tensor* codes = graph.constant(node.inputs[0]);
  const Tensor* scales = graph.constant(node.inputs[1]);
  if (codes == nullptr || scales == nullptr || !is_float(scales->dtype())) return {};
  return in_floats(*codes, *scales, 1);
}

std::optional<Tensor> of_codes(const GraphIndex& graph, const Node& op, const Tensor& codes) {
  constexpr std::size_t kDataScale = 1, kWeightScale = 4;
  const Tensor* data = graph.constant(op.inputs[kDataScale]);
  const Tensor* weight = graph.constant(op.inputs[kWeightScale]);
  if (data == nullptr || weight == nullptr || data->size() != 1) return {};
  if (!is_float(data->dtype()) || !is_float(weight->dtype())) return {};
  return in_floats(codes, *weight, to_float32(*data).data<float>()[0]);
}

}  // namespace

std::size_t bias_input(const Node& op) {
  constexpr std::size_t kOfFloats = 2, kOfQConv = 8, kOfQGemm = 6;
  if (op.kind == Kind::qconv) return kOfQConv;
  return op.kind == Kind::qgemm ? kOfQGemm : kOfFloats;
}

std::optional<Tensor> stored_bias(const GraphIndex& graph, const Node& op) {
  const std::size_t input = bias_input(op);
  if (op.inputs.size() <= input) return {};
  const Tensor* stored = graph.constant(op.inputs[input]);
  if (stored == nullptr) return behind_dequantize(graph, op.inputs[input]);
  if (is_on_codes(op.kind)) return of_codes(graph, op, *stored);
  return is_float(stored->dtype()) ? std::optional(to_float32(*stored)) : std::nullopt;
}

}  // namespace quantlens
