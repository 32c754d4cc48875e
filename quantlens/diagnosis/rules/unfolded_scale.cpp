// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/affine.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

/// What an op multiplies its input by; empty where it does something else.
std::vector<double> signed_factors(const Evidence& evidence, const Node& node, std::size_t input) {
  if (node.kind == Kind::batch_norm) {
    const std::size_t number = role<roles::Normalization>(node)->operands.scale;
    const Tensor* scale = evidence.constant_input(node, number);
    if (scale == nullptr) return {};
    const auto affine =
        affine_of(evidence.reference(), node, input,
                  {.count = static_cast<std::size_t>(scale->size()), .rank = 2, .from_end = 1});
    return affine ? affine->factor : std::vector<double>();
  }
  const bool divides = node.kind == Kind::div;
  if (input > 1 || (node.kind != Kind::mul && !(divides && input == 0))) return {};
  const Tensor* constant = evidence.constant_input(node, 1 - input);
  if (constant == nullptr || constant->dtype() != DType::float32) return {};
  const Tensor values = aligned(*constant);
  std::vector<double> factors(values.data<float>().begin(), values.data<float>().end());
  if (divides) std::ranges::transform(factors, factors.begin(), [](double x) { return 1 / x; });
  return factors;
}

/// Their sizes; empty where one is not finite.
std::vector<double> factors_of(const Evidence& evidence, const Use& use) {
  const Node& node = evidence.reference().graph().nodes[use.node];
  std::vector<double> factors = signed_factors(evidence, node, use.input);
  for (double& factor : factors) factor = std::abs(factor);
  const bool are_finite =
      std::ranges::all_of(factors, [](double factor) { return std::isfinite(factor); });
  return are_finite ? factors : std::vector<double>();
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

const ActivationRow* row_of(const Evidence& evidence, const std::string& value) {
  const std::vector<ActivationRow>& rows = evidence.diagnosis().activations;
  const auto found = std::ranges::find(rows, value, &ActivationRow::value);
  return found == rows.end() ? nullptr : &*found;
}

constexpr double kOneBit = 2;

bool are_far_apart(const std::vector<double>& factors) {
  return factors.size() > 1 && std::ranges::max(factors) >= kOneBit * std::ranges::min(factors);
}

Figure range_of(const std::vector<double>& factors) {
  return figure::numbers({std::ranges::min(factors), std::ranges::max(factors)});
}

/// All of a network are one finding: none of them alone gives much back.
Cause cause_of(Statement reason, std::vector<OpRef> ops) {
  boost::json::object remedy = in_float(ops);
  return {.reasons = {std::move(reason)},
          .ops = std::move(ops),
          .remedy = std::move(remedy),
          .shared = "scales that are not folded"};
}

/// Codes are taken in front of the op that evens out their channels.
std::optional<Cause> of_result(const Evidence& evidence, const ActivationRow& row) {
  if (part(row.rounding_mse, row) < 0.5 || row.channel_spread.value_or(1) < kOneBit) return {};
  const std::vector<Use> readers = evidence.readers(row.value);
  if (readers.size() != 1 || !row.scale) return {};
  const std::vector<double> factors = factors_of(evidence, readers.front());
  if (!are_far_apart(factors)) return {};
  const Node& node = evidence.reference().graph().nodes[readers.front().node];
  const ActivationRow* behind = row_of(evidence, op_id(node));
  if (behind == nullptr || behind->scale.value_or(0) <= 0) return {};
  const double coarser = *row.scale * rms(factors) / *behind->scale;
  if (coarser < kOneBit) return {};
  return cause_of({"unfolded_scale.result",
                   {{"op", figure::op(ref_of(node))},
                    {"factors", range_of(factors)},
                    {"coarser", figure::number(coarser)}}},
                  evidence.ops_at(row));
}

/// The op that evens out channels has its constants in codes of one scale.
std::optional<Cause> of_constants(const Evidence& evidence, const ActivationRow& row) {
  if (part(row.weight_mse, row) < 0.5) return {};
  const std::optional<std::size_t> number = evidence.reference().producer(row.value);
  if (!number || row.op.id != row.value) return {};
  const Node& node = evidence.reference().graph().nodes[*number];
  for (std::size_t input = 0; input < std::min<std::size_t>(node.inputs.size(), 2); ++input) {
    if (evidence.constant_input(node, input) != nullptr) continue;
    const std::vector<double> factors = factors_of(evidence, {.node = *number, .input = input});
    if (!are_far_apart(factors)) continue;
    const ActivationRow* before = row_of(evidence, node.inputs[input]);
    std::vector<OpRef> ops = before != nullptr ? evidence.ops_at(*before) : std::vector{row.op};
    return cause_of({"unfolded_scale.constants", {{"factors", range_of(factors)}}}, std::move(ops));
  }
  return {};
}

}  // namespace

/// Channels that a Mul, Div or BatchNormalization evens out share one scale in front of it. Their
/// rounding, uniform there, is multiplied by each channel's factor; one bit of it, or more, would
/// not be lost if codes were taken behind the op. Its constants share one scale, too.
std::optional<Cause> unfolded_scale(const Evidence& evidence, const ActivationRow& row) {
  std::optional<Cause> cause = of_result(evidence, row);
  return cause ? cause : of_constants(evidence, row);
}

}  // namespace quantlens
