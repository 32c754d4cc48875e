// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/misscaled_bias.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr double kNearly = 0.01;

/// The codes of a bias; null where it has none, or is itself null.
const Codes* int32_codes(const FloatView::Constant* bias) {
  if (bias == nullptr || !bias->codes || bias->is_computed || bias->stored == nullptr)
    return nullptr;
  const bool is_int32 =
      bias->stored->dtype() == DType::int32 && bias->codes->scheme.dtype == DType::int32;
  return is_int32 && !bias->codes->params.empty() ? &*bias->codes : nullptr;
}

/// An op with a weight and the bias that it or the Add behind it adds.
struct Biased {
  std::size_t op;
  const Codes* bias;
};

std::optional<Biased> biased(const FloatView& view, std::size_t number) {
  const FloatView::Op& op = view.ops()[number];
  if (multiplies_by_weight(op.kind)) {
    const Codes* bias = int32_codes(view.constant_bias(op));
    return bias != nullptr ? std::optional(Biased{number, bias}) : std::nullopt;
  }
  if (op.kind != Kind::add || op.operands.size() != 2) return {};
  const std::size_t at = op.operands[0].constant ? 0 : 1;
  const auto& added = op.operands[at].constant;
  const Codes* bias = int32_codes(added ? &view.constants()[*added] : nullptr);
  const auto& sum = op.operands[1 - at].value;
  if (bias == nullptr || !sum || !view.values()[*sum].sides.empty()) return {};
  const auto& producer = view.values()[*sum].producer;
  if (!producer || !multiplies_by_weight(view.ops()[*producer].kind)) return {};
  return Biased{*producer, bias};
}

float scale_at(const std::vector<QParams>& params, std::size_t channel) {
  return params[params.size() == 1 ? 0 : channel].scale;
}

std::optional<MisscaledBias> compared(const FloatView& view, const Biased& one) {
  const FloatView::Op& op = view.ops()[one.op];
  if (alpha_of(view.node(op)) != 1) return {};  // kernels differ in what it is of
  const FloatView::Constant* weight = view.constant_weight(op);
  if (weight == nullptr || !op.operands.at(op.at.data).value) return {};
  const FloatView::Value& data = view.values()[*op.operands[op.at.data].value];
  if (data.sides.size() != 1 || !data.sides[0].codes || !weight->codes) return {};
  const std::vector<QParams>& of_data = data.sides[0].codes->params;
  const std::vector<QParams>& of_weight = weight->codes->params;
  const std::vector<QParams>& of_bias = one.bias->params;
  const std::size_t channels = std::max(of_weight.size(), of_bias.size());
  if (of_data.size() != 1 || of_weight.empty()) return {};
  if (of_weight.size() != 1 && of_weight.size() != channels) return {};
  if (of_bias.size() != 1 && of_bias.size() != channels) return {};
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double product = double{of_data[0].scale} * scale_at(of_weight, c);
    const double factor = product / scale_at(of_bias, c);
    least = std::min(least, factor);
    greatest = std::max(greatest, factor);
  }
  const bool is_one_factor = std::isfinite(greatest) && greatest <= (1 + kNearly) * least;
  if (!is_one_factor || std::abs(greatest - 1) <= kNearly) return {};
  return MisscaledBias{
      .op = one.op, .value = *op.operands[0].value, .step = of_bias[0].scale, .factor = greatest};
}

}  // namespace

std::vector<MisscaledBias> misscaled_biases(const FloatView& view) {
  std::vector<MisscaledBias> found;
  for (std::size_t q = 0; q < view.ops().size(); ++q) {
    const auto one = biased(view, q);
    if (!one) continue;
    if (const auto bias = compared(view, *one)) found.push_back(*bias);
  }
  return found;
}

}  // namespace quantlens
