// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/gemm_factors.h"

#include <cmath>
#include <optional>
#include <utility>

#include "quantlens/diagnosis/changes/changed_constants.h"
#include "quantlens/diagnosis/changes/tensor_factors.h"
#include "quantlens/diagnosis/view/stored_bias.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr double kLeastSquaredCosine = 0.98;
constexpr double kEqual = 0.1;  // corrected biases and weights in few bits are off by less

bool is_off(double factor) {
  return std::abs(factor - 1) > kEqual;
}

std::optional<double> factor_of_weights(const FloatView& reference, const FloatView::Op& before,
                                        const FloatView& quantized, const FloatView::Op& after) {
  const FloatView::Constant* plain = reference.constant_weight(before);
  const FloatView::Constant* stored = quantized.constant_weight(after);
  if (plain == nullptr || stored == nullptr) return {};
  if (transposes_b(reference.node(before)) != transposes_b(quantized.node(after))) return {};
  const std::optional<Tensor> w = values_of(*plain), q = values_of(*stored);
  if (!w || !q || w->shape() != q->shape()) return {};
  return factor_between(*w, *q, kLeastSquaredCosine);
}

/// What is added by a beta of 1, before alpha.
std::optional<Tensor> bias_values(const FloatView& quantized, const FloatView::Op& after) {
  const FloatView::Constant* bias = quantized.constant_bias(after);
  if (bias != nullptr && bias->is_computed) return values_of(*bias);
  return stored_bias(quantized.index(), quantized.node(after));
}

void compare_products(double alpha_before, double alpha_after, std::optional<double> weights,
                      GemmFactors& factors) {
  if (!weights || alpha_before == 0 || alpha_before == alpha_after) return;
  factors.product = alpha_after * *weights / alpha_before;
  if (!is_off(factors.product)) return;
  factors.changes.push_back(
      {"changed_op.alpha",
       {{"is", figure::number(alpha_after)}, {"was", figure::number(alpha_before)}}});
}

}  // namespace

double alpha_ratio(const Node& before, const Node& after) {
  const double alpha = alpha_of(after);
  return before.kind == Kind::gemm && alpha != 0 ? alpha_of(before) / alpha : 1;
}

GemmFactors gemm_factors(const FloatView& reference, const FloatView::Op& before,
                         const FloatView& quantized, const FloatView::Op& after,
                         const Prepared& prepared) {
  GemmFactors factors;
  const Node &node = reference.node(before), &other = quantized.node(after);
  const bool is_qgemm = other.kind == Kind::qgemm;
  if (node.kind != Kind::gemm || (other.kind != Kind::gemm && !is_qgemm)) return factors;
  const double alpha = alpha_of(node), beta = beta_of(node);
  compare_products(alpha, alpha_of(other), factor_of_weights(reference, before, quantized, after),
                   factors);
  const auto input = bias_input(node);
  const Tensor* plain = input ? constant_input(prepared, reference.index(), node, *input) : nullptr;
  const std::optional<Tensor> stored = bias_values(quantized, after);
  if (plain == nullptr || !is_float(plain->dtype()) || !stored || beta == 0) return factors;
  const std::optional<double> biases =
      factor_between(to_float32(*plain), *stored, kLeastSquaredCosine);
  if (!biases) return factors;
  const double times = is_qgemm ? alpha_of(other) : beta_of(other);
  const bool is_plain = is_qgemm ? alpha == 1 && beta == 1 && times == 1 : times == beta;
  if (is_plain) return factors;
  factors.bias = times * *biases / beta;
  if (!is_off(factors.bias)) return factors;
  factors.changes.push_back(
      is_qgemm ? Statement{"changed_op.bias_factor",
                           {{"times", figure::number(factors.bias)},
                            {"beta", figure::number(beta)},
                            {"alpha", figure::number(times)}}}
               : Statement{"changed_op.beta",
                           {{"is", figure::number(times)}, {"was", figure::number(beta)}}});
  return factors;
}

}  // namespace quantlens
