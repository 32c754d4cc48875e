// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr std::size_t kBias = 2;  // input of Conv and Gemm

/// The op of the quantized model that reads a weight's codes; null where that is not known.
const Node* reader_of(const GraphIndex& quantized, const std::string& weight) {
  for (const Use& use : quantized.uses(weight)) {
    const Node& dequantize = quantized.graph().nodes[use.node];
    if (dequantize.kind == Kind::qconv) return &dequantize;
    if (dequantize.kind != Kind::dequantize) continue;
    for (const Use& next : quantized.uses(dequantize.outputs.front())) {
      return &quantized.graph().nodes[next.node];
    }
  }
  return nullptr;
}

/// A bias as floats, stored as codes or as it is; nothing where it is neither.
std::optional<Tensor> bias_of(const GraphIndex& quantized, const std::string& name) {
  if (const Tensor* stored = quantized.constant(name)) {
    if (is_float(stored->dtype())) return to_float32(*stored);
    return {};
  }
  const std::optional<std::size_t> maker = quantized.producer(name);
  if (!maker) return {};
  const Node& node = quantized.graph().nodes[*maker];
  if (node.kind != Kind::dequantize || node.inputs.size() < 2) return {};
  const Tensor* codes = quantized.constant(node.inputs[0]);
  const Tensor* scales = quantized.constant(node.inputs[1]);
  if (!codes || !scales || codes->dtype() != DType::int32) return {};
  if (scales->dtype() != DType::float32 || codes->shape().size() != 1) return {};
  std::vector<QParams> params;
  const Tensor floats = aligned(*scales);
  for (const float scale : floats.data<float>()) params.push_back({scale, 0});
  if (params.size() != 1 && static_cast<std::int64_t>(params.size()) != codes->size()) return {};
  const bool is_whole = params.size() == 1;
  return dequantize(aligned(*codes), params, is_whole ? std::nullopt : std::optional(0));
}

/// The input that is the bias, of an op on floats or on codes.
std::size_t bias_at(const Node& op) {
  constexpr std::size_t kOfCodes = 8;
  return op.kind == Kind::qconv ? kOfCodes : kBias;
}

/// The bias of a QLinearConv: in steps of the scales of its data and weight, multiplied.
std::optional<Tensor> bias_in_codes(const GraphIndex& quantized, const Node& op) {
  constexpr std::size_t kDataScale = 1, kWeightScale = 4;
  const Tensor* codes = quantized.constant(op.inputs[bias_at(op)]);
  const Tensor* of_data = quantized.constant(op.inputs[kDataScale]);
  const Tensor* of_weight = quantized.constant(op.inputs[kWeightScale]);
  if (!codes || !of_data || !of_weight || codes->dtype() != DType::int32) return {};
  if (!is_float(of_data->dtype()) || !is_float(of_weight->dtype())) return {};
  if (of_data->size() != 1 || codes->shape().size() != 1) return {};
  if (of_weight->size() != 1 && of_weight->size() != codes->size()) return {};
  const Tensor data = to_float32(*of_data), weight = to_float32(*of_weight);
  std::vector<QParams> params;
  for (const float scale : weight.data<float>())
    params.push_back({data.data<float>()[0] * scale, 0});
  return dequantize(aligned(*codes), params, params.size() == 1 ? std::nullopt : std::optional(0));
}

/// Whether error that no rounding makes may be a shift of which an activation has cut some away.
bool is_shift_cut(const ActivationRow& row) {
  constexpr double kMostlyOther = 0.5;
  return row.value != row.op && part(row.other_mse, row) >= kMostlyOther;
}

/// Whether another bias, off by `shift` (root mean square), is the constant by which the result is
/// wrong. Bias correction makes it another one, too, which leaves less of a constant than it moves;
/// where a far greater constant is there, something else makes it.
bool explains_constant(const ActivationRow& row, double shift) {
  constexpr double kOfOther = 4;  // the constant may be twice the bias's, with what weights add
  const double least = row.value == row.op ? 0.5 : 0.1;  // an activation cuts much of it off
  const double constant = row.shift_share.value_or(0) * row.local_mse.value_or(0);
  return constant >= least * shift * shift && constant <= kOfOther * shift * shift;
}

/// Root mean square of what is finite.
double magnitude(std::span<const float> values) {
  double squares = 0;
  std::size_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    squares += static_cast<double>(value) * value;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

}  // namespace

/// The quantized bias is another one: lost, saturated in int32, or in steps that are too wide.
std::optional<Cause> lost_bias(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kFar = 0.1;          // of the bias itself
  constexpr double kMostlyShift = 0.4;  // bias correction, too, makes it another one, with none
  const WeightPair* pair = evidence.weight_pair(row.op);
  const Node* node = evidence.node(row.op);
  if (!pair || !node || node->inputs.size() <= kBias) return {};
  const bool is_shift = row.shift_share.value_or(0) >= kMostlyShift;
  if (!is_shift && !is_shift_cut(row)) return {};
  const Tensor* stored = evidence.constant_input(*node, kBias);
  if (stored == nullptr || !is_float(stored->dtype())) return {};
  const Tensor before = to_float32(*stored);
  const Node* op = reader_of(evidence.quantized(), pair->quantized);
  if (op == nullptr) return {};
  if (op->inputs.size() <= bias_at(*op) || op->inputs[bias_at(*op)].empty()) {
    return Cause{.because = "the float op adds a bias, the quantized one none",
                 .ops = {row.name},
                 .remedy = in_float({row.name}),
                 .shared = {}};
  }
  const std::optional<Tensor> after = op->kind == Kind::qconv
                                          ? bias_in_codes(evidence.quantized(), *op)
                                          : bias_of(evidence.quantized(), op->inputs[kBias]);
  if (!after || after->size() != before.size()) return {};
  std::vector<float> error(static_cast<std::size_t>(before.size()));
  std::ranges::transform(before.data<float>(), after->data<float>(), error.begin(), std::minus());
  const double shift = magnitude(error);
  if (!is_shift && shift * shift < row.other_mse.value_or(0)) return {};
  if (is_shift && !explains_constant(row, shift)) return {};
  const double relative = shift / std::max(1e-30, magnitude(before.data<float>()));
  if (relative < kFar) return {};
  return Cause{.because = fmt::format("its bias is off by {:.0f} % of itself after quantization, "
                                      "and makes the result wrong by a constant in each channel",
                                      100 * relative),
               .ops = {row.name},
               .remedy = in_float({row.name}),
               .shared = {}};
}

}  // namespace quantlens
