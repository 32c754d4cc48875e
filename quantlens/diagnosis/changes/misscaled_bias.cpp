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
constexpr std::size_t kBias = 2;

/// The bias as it stands in codes; null where an op adds none.
const Codes* int32_codes(const FloatView& view, const FloatView::Op& op, std::size_t operand) {
  if (operand >= op.operands.size() || !op.operands[operand].constant) return nullptr;
  const FloatView::Constant& constant = view.constants()[*op.operands[operand].constant];
  if (!constant.codes || constant.is_computed || constant.stored == nullptr) return nullptr;
  const bool is_bias =
      constant.stored->dtype() == DType::int32 && constant.codes->scheme.dtype == DType::int32;
  return is_bias && !constant.codes->params.empty() ? &*constant.codes : nullptr;
}

/// An op with a weight and the bias that it or the Add behind it adds.
struct Biased {
  std::size_t op;
  const Codes* bias;
};

std::optional<Biased> biased(const FloatView& view, std::size_t number) {
  const FloatView::Op& op = view.ops()[number];
  if (multiplies_by_weight(op.kind)) {
    const Codes* bias = int32_codes(view, op, kBias);
    return bias != nullptr ? std::optional(Biased{number, bias}) : std::nullopt;
  }
  if (op.kind != Kind::add || op.operands.size() != 2) return {};
  const std::size_t at = op.operands[0].constant ? 0 : 1;
  const Codes* bias = int32_codes(view, op, at);
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
  if (op.operands.size() < 2 || !op.operands[0].value || !op.operands[1].constant) return {};
  const FloatView::Value& data = view.values()[*op.operands[0].value];
  const FloatView::Constant& weight = view.constants()[*op.operands[1].constant];
  if (data.sides.size() != 1 || !data.sides[0].codes || !weight.codes) return {};
  const std::vector<QParams>& of_data = data.sides[0].codes->params;
  const std::vector<QParams>& of_weight = weight.codes->params;
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
