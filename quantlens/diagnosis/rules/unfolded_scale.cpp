// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quantizer/affine.h"

namespace quantlens {
namespace {

/// Sizes of the constants that an op multiplies its input by; empty where it does something else.
std::vector<double> factors_of(const Evidence& evidence, const Use& use) {
  const Node& node = evidence.reference().graph().nodes[use.node];
  std::size_t constant = 1 - std::min<std::size_t>(use.input, 1);
  ChannelAxis channels{.count = 0, .rank = 2, .from_end = 1};
  if (node.kind == Kind::batch_norm) constant = 1;
  if (node.kind != Kind::batch_norm && node.kind != Kind::mul && node.kind != Kind::div) return {};
  const Tensor* tensor = evidence.constant_input(node, constant);
  if (tensor == nullptr) return {};
  channels.count = static_cast<std::size_t>(tensor->size());
  std::vector<double> factors;
  if (node.kind == Kind::batch_norm) {
    const auto affine = affine_of(evidence.reference(), node, use.input, channels);
    if (affine) factors = affine->factor;
  } else if (tensor->dtype() == DType::float32 && !(node.kind == Kind::div && use.input != 0)) {
    const Tensor values = aligned(*tensor);
    for (const float value : values.data<float>()) {
      factors.push_back(node.kind == Kind::div ? 1.0 / value : value);
    }
  }
  for (double& factor : factors) factor = std::abs(factor);
  const bool finite =
      std::ranges::all_of(factors, [](double factor) { return std::isfinite(factor); });
  return finite ? factors : std::vector<double>();
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

}  // namespace

/// Channels that a Mul, Div or BatchNormalization evens out share one scale in front of it. Their
/// rounding, uniform there, is multiplied by each channel's factor; one bit of it, or more, would
/// not be lost if codes were taken behind the op.
std::optional<Cause> unfolded_scale(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kOneBit = 2;
  if (part(row.rounding_mse, row) < 0.5 || row.channel_spread.value_or(1) < kOneBit) return {};
  const std::vector<Use> readers = evidence.readers(row.value);
  if (readers.size() != 1 || !row.scale) return {};
  const std::vector<double> factors = factors_of(evidence, readers.front());
  if (factors.size() < 2) return {};
  const auto [least, greatest] = std::ranges::minmax(factors);
  if (greatest < kOneBit * least) return {};
  const Node& node = evidence.reference().graph().nodes[readers.front().node];
  const ActivationRow* behind = row_of(evidence, op_id(node));
  if (behind == nullptr || behind->scale.value_or(0) <= 0) return {};
  const double coarser = *row.scale * rms(factors) / *behind->scale;
  if (coarser < kOneBit) return {};
  const std::vector<std::string> ops = evidence.ops_at(row);
  return Cause{
      .because = fmt::format("one scale serves channels that {} evens out behind its codes "
                             "(times {:.2g} to {:.2g}), where their steps are {:.0f} times "
                             "those of its result: a scale that was not folded into the op",
                             op_name(node), least, greatest, coarser),
      .ops = ops,
      .remedy = in_float(ops),
      .shared = {}};
}

}  // namespace quantlens
