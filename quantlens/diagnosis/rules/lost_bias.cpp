// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {
namespace {

constexpr std::size_t kBias = 2;  // input of Conv and Gemm

/// The op of the quantized model that reads a weight's codes; null where that is not known.
const Node* reader_of(const GraphIndex& quantized, const std::string& weight) {
  for (const Use& use : quantized.uses(weight)) {
    const Node& dequantize = quantized.graph().nodes[use.node];
    if (dequantize.kind != Kind::dequantize) continue;
    for (const Use& next : quantized.uses(dequantize.outputs.front())) {
      return &quantized.graph().nodes[next.node];
    }
  }
  return nullptr;
}

/// Root mean square.
double magnitude(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

/// The quantized bias is another one: lost, saturated in int32, or in steps that are too wide.
std::optional<Cause> lost_bias(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kFar = 0.1;  // of the bias itself
  const WeightPair* pair = evidence.weight_pair(row.op);
  const Node* node = evidence.node(row.op);
  if (!pair || !node || node->inputs.size() <= kBias || part(row.other_mse, row) < 0.5) return {};
  const Tensor* stored = evidence.constant_input(*node, kBias);
  if (stored == nullptr || !is_float(stored->dtype())) return {};
  const Tensor before = to_float32(*stored);
  const Node* op = reader_of(evidence.quantized(), pair->quantized);
  if (op == nullptr) return {};
  if (op->inputs.size() <= kBias || op->inputs[kBias].empty()) {
    return Cause{.because = "the float op adds a bias, the quantized one none",
                 .ops = {row.name},
                 .remedy = in_float({row.name}),
                 .shared = {}};
  }
  const Tensor* quantized = evidence.quantized().constant(op->inputs[kBias]);
  if (quantized == nullptr || !is_float(quantized->dtype())) return {};
  const Tensor after = to_float32(*quantized);
  if (after.size() != before.size()) return {};
  std::vector<float> error(static_cast<std::size_t>(before.size()));
  std::ranges::transform(before.data<float>(), after.data<float>(), error.begin(), std::minus());
  const double relative = magnitude(error) / std::max(1e-30, magnitude(before.data<float>()));
  if (relative < kFar) return {};
  return Cause{.because = fmt::format("its bias is off by {:.0f} % of itself after quantization, "
                                      "which no other rounding explains",
                                      100 * relative),
               .ops = {row.name},
               .remedy = in_float({row.name}),
               .shared = {}};
}

}  // namespace quantlens
