// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/compared_weights.h"

#include <algorithm>
#include <cmath>

#include "quantlens/diagnosis/changes/changed_constants.h"
#include "quantlens/diagnosis/changes/tensor_factors.h"
#include "quantlens/diagnosis/view/alike.h"

namespace quantlens {
namespace {

std::optional<Tensor> weight_of(const FloatView& view, const FloatView::Op& op) {
  const FloatView::Constant* constant =
      multiplies_by_weight(op.kind) ? view.constant_weight(op) : nullptr;
  if (constant == nullptr || (op.accumulates && !constant->codes)) return {};
  return values_of(*constant);
}

double root_mean_square(const Tensor& tensor) {
  double squares = 0;
  for (const float one : tensor.data<float>()) squares += double{one} * one;
  return std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(1, tensor.size())));
}

}  // namespace

std::optional<std::size_t> ComparedWeights::other_owner(std::size_t q, std::size_t r) {
  constexpr double kAlike = 0.98, kUnlike = 0.5;
  constexpr std::size_t kMost = 16;
  if (unlike_ >= kMost) return {};
  const auto own = weight_of(reference_, reference_.ops()[r]);
  const auto stored = own ? weight_of(quantized_, quantized_.ops()[q]) : std::nullopt;
  if (!stored || stored->shape() != own->shape()) return {};
  if (std::abs(cosine(own->data<float>(), stored->data<float>())) > kUnlike) return {};
  ++unlike_;
  for (std::size_t other = 0; other < reference_.ops().size(); ++other) {
    if (other == r || reference_.ops()[other].kind != reference_.ops()[r].kind) continue;
    const auto weight = weight_of(reference_, reference_.ops()[other]);
    if (!weight || weight->shape() != own->shape()) continue;
    if (cosine(weight->data<float>(), stored->data<float>()) >= kAlike) return other;
  }
  return {};
}

bool ComparedWeights::hold_factor_of(std::size_t maker, std::size_t q, std::size_t r) const {
  constexpr double kNearly = 0.1;
  const std::optional<double> factor = single_factor(maker);
  if (!factor) return false;
  const auto before = weight_of(reference_, reference_.ops()[r]);
  const auto after = weight_of(quantized_, quantized_.ops()[q]);
  if (!before || !after || before->size() != after->size()) return false;
  const double is = root_mean_square(*after), was = root_mean_square(*before);
  return was > 0 && std::abs(is / was / std::abs(*factor) - 1) <= kNearly;
}

std::optional<double> ComparedWeights::single_factor(std::size_t r) const {
  const FloatView::Op& op = reference_.ops()[r];
  const bool divides = op.kind == Kind::div;
  if (op.kind != Kind::mul && !divides) return {};
  for (std::size_t i = divides ? 1 : 0; i < op.operands.size(); ++i) {
    if (!op.operands[i].constant) continue;
    const auto numbers = values_of(reference_.constants()[*op.operands[i].constant]);
    if (!numbers || numbers->size() != 1 || numbers->data<float>()[0] == 0) return {};
    const double number = numbers->data<float>()[0];
    return divides ? 1 / number : number;
  }
  return {};
}

}  // namespace quantlens
