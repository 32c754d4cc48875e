// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/diagnosis/changes/tensor_factors.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/stored_bias.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

/// The op of the quantized model that reads a weight's codes; null where that is not known.
const Node* reader_of(const GraphIndex& quantized, const std::string& weight) {
  for (const Use& use : quantized.uses(weight)) {
    const Node& dequantize = quantized.graph().nodes[use.node];
    if (dequantize.kind == Kind::qconv || dequantize.kind == Kind::qgemm) return &dequantize;
    if (dequantize.kind != Kind::dequantize) continue;
    for (const Use& next : quantized.uses(dequantize.outputs.front())) {
      return &quantized.graph().nodes[next.node];
    }
  }
  return nullptr;
}

/// Whether error that no rounding makes may be a shift of which an activation has cut some away.
bool is_shift_cut(const ActivationRow& row) {
  constexpr double kMostlyOther = 0.5;
  return row.value != row.op.id && part(row.other_mse, row) >= kMostlyOther;
}

/// Whether another bias, off by `shift` (root mean square), is the constant by which the result is
/// wrong. Bias correction makes it another one, too, which leaves less of a constant than it moves;
/// where a far greater constant is there, something else makes it.
bool explains_constant(const ActivationRow& row, double shift) {
  constexpr double kOfOther = 4;  // the constant may be twice the bias's, with what weights add
  const double least = row.value == row.op.id ? 0.5 : 0.1;  // an activation cuts much of it off
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

/// By which factor the bias is off, where an op on codes has it in steps of the scale of what it
/// reads, and that is too fine or too wide: then the scale is the mistake.
std::optional<double> factor_of_wrong_scale(const Evidence& evidence, const Node& op,
                                            const Tensor& before, const Tensor& after) {
  constexpr double kNearly = 0.05;
  if (op.kind != Kind::qconv && op.kind != Kind::qgemm) return {};
  const auto factor = factor_between(before, after, 1 - kNearly * kNearly);
  if (!factor || *factor <= 0) return {};
  const auto& rows = evidence.diagnosis().activations;
  const auto read = std::ranges::find(rows, op.inputs.front(), &ActivationRow::quantized);
  const bool is_wrong =
      read != rows.end() && (clipped_range(evidence, *read) || wasted_range(evidence, *read));
  return is_wrong ? factor : std::nullopt;
}

Statement another_bias(double off, double own) {
  if (own == 0) return {.says = "lost_bias.not_zero", .figures = {}};
  return {.says = "lost_bias.off", .figures = {{"off", figure::share(off / own)}}};
}

}  // namespace

/// The quantized bias is another one: lost, saturated in int32, or in steps that are too wide.
std::optional<Cause> lost_bias(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kFar = 0.1;          // of the bias itself
  constexpr double kMostlyShift = 0.4;  // bias correction, too, makes it another one, with none
  const WeightPair* pair = evidence.weight_pair(row.op.id);
  const Node* node = evidence.node(row.op.id);
  const auto input = node ? bias_input(*node) : std::nullopt;
  if (!pair || !input || node->inputs.size() <= *input) return {};
  const bool is_shift = row.shift_share.value_or(0) >= kMostlyShift;
  if (!is_shift && !is_shift_cut(row)) return {};
  const Tensor* stored = evidence.constant_input(*node, *input);
  if (stored == nullptr || !is_float(stored->dtype())) return {};
  const Tensor before = to_float32(*stored);
  const Node* op = reader_of(evidence.quantized(), pair->quantized);
  if (op == nullptr) return {};
  if (bias_of(*op).empty()) {
    return Cause{.reasons = {{"lost_bias.absent", {}}},
                 .ops = {row.op},
                 .remedy = in_float({row.op}),
                 .shared = {}};
  }
  const std::optional<Tensor> after = stored_bias(evidence.quantized(), *op);
  if (!after || after->size() != before.size()) return {};
  std::vector<float> error(static_cast<std::size_t>(before.size()));
  std::ranges::transform(before.data<float>(), after->data<float>(), error.begin(), std::minus());
  const double shift = magnitude(error), own = magnitude(before.data<float>());
  if (!is_shift && shift * shift < row.other_mse.value_or(0)) return {};
  if (is_shift && !explains_constant(row, shift)) return {};
  if (shift < kFar * own || shift == 0) return {};
  if (const auto factor = factor_of_wrong_scale(evidence, *op, before, *after)) {
    return Cause{.reasons = {{"lost_bias.wrong_scale", {{"factor", figure::number(*factor)}}}},
                 .ops = {row.op},
                 .remedy = in_float({row.op}),
                 .shared = {},
                 .is_effect = true};
  }
  return Cause{.reasons = {another_bias(shift, own)},
               .ops = {row.op},
               .remedy = in_float({row.op}),
               .shared = {}};
}

}  // namespace quantlens
