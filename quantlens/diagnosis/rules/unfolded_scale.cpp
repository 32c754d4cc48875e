// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

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

constexpr double kOneBit = 2;

bool are_far_apart(const std::vector<double>& factors) {
  return factors.size() > 1 && std::ranges::max(factors) >= kOneBit * std::ranges::min(factors);
}

std::string range_of(const std::vector<double>& factors) {
  return fmt::format("{:.2g} to {:.2g}", std::ranges::min(factors), std::ranges::max(factors));
}

/// All of a network are one finding: none of them alone gives much back.
Cause cause_of(std::string because, std::vector<std::string> ops) {
  boost::json::object remedy = in_float(ops);
  return {.because = std::move(because),
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
  return cause_of(
      fmt::format("one scale serves channels that {} evens out behind its codes (times "
                  "{}), where their steps are {:.0f} times those of its result: a scale "
                  "that was not folded into the op",
                  op_name(node), range_of(factors), coarser),
      evidence.ops_at(row));
}

/// The op that evens out channels has its constants in codes of one scale.
std::optional<Cause> of_constants(const Evidence& evidence, const ActivationRow& row) {
  if (part(row.weight_mse, row) < 0.5) return {};
  const Node* node = evidence.node(row.op);
  if (node == nullptr || op_id(*node) != row.value) return {};
  for (std::size_t input = 0; input < std::min<std::size_t>(node->inputs.size(), 2); ++input) {
    const std::optional<std::size_t> number = evidence.reference().producer(row.value);
    if (!number || evidence.constant_input(*node, input) != nullptr) continue;
    const std::vector<double> factors = factors_of(evidence, {.node = *number, .input = input});
    if (!are_far_apart(factors)) continue;
    std::vector<std::string> ops = {row.name};
    const ActivationRow* before = row_of(evidence, node->inputs[input]);
    if (before != nullptr) ops = evidence.ops_at(*before);
    return cause_of(
        fmt::format("it evens out channels by constants of {} that were not folded into "
                    "the op before it, and one scale rounds the small ones away",
                    range_of(factors)),
        std::move(ops));
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
