// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products of codes: exact in int64, then brought to the result's scale.
#include <fmt/format.h>

#include "quantlens/runtime/oracle/codes.h"
#include "quantlens/runtime/oracle/convolve.h"
#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"
#include "quantlens/runtime/oracle/product.h"

namespace quantlens::oracle {
namespace {

/// Sums of products as codes: sum * (scale of a * scale of b) / scale of the result, in double.
Tensor requantized(const Target& target, const Shape& shape, std::span<const std::int64_t> sums,
                   auto product_of_scales) {
  std::vector<double> values(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    values[i] = static_cast<double>(sums[i]) * product_of_scales(i);
  }
  return coded(target, shape, values);
}

double one_scale(const Codes& codes) {
  if (codes.coding.scales.size() != 1) refuse_unknown("the oracle knows one scale of this input");
  return codes.coding.scales[0];
}

/// The scale of column j of the right operand.
double column_scale(const Codes& b, std::int64_t columns, std::size_t element) {
  const std::vector<float>& scales = b.coding.scales;
  return scales[scales.size() == 1 ? 0 : element % static_cast<std::size_t>(columns)];
}

void add_bias(const Tensor& bias, const Shape& shape, std::size_t axis,
              std::vector<std::int64_t>& sums) {
  const std::vector<std::int64_t> values = to_int64(bias);
  const Around size = around(shape, axis);
  if (values.size() != size.extent) refuse(fmt::format("its bias has {} elements", values.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i / size.inner % size.extent];
}

}  // namespace

Results qlinear_conv(const Call& call) {
  const Codes x = codes(call, 0, 1);
  const Codes w = codes(call, 3, 0);
  const ConvShape shape = conv_shape(call, call.input(0), call.input(3));
  std::vector<std::int64_t> sums = convolve<std::int64_t>(shape, x.values, w.values);
  if (call.has(8)) add_bias(call.input(8), shape.result, 1, sums);
  const Around size = around(shape.result, 1);
  const double scale_x = one_scale(x);
  const std::vector<float>& scales_w = w.coding.scales;
  return {requantized(target(call, 6, 7), shape.result, sums, [&](std::size_t i) {
    return scale_x * scales_w[scales_w.size() == 1 ? 0 : i / size.inner % size.extent];
  })};
}

Results conv_integer(const Call& call) {
  const Codes x = codes_without_scale(call, 0, 2, 1);
  const Codes w = codes_without_scale(call, 1, 3, 0);
  one_scale(x);
  const ConvShape shape = conv_shape(call, call.input(0), call.input(1));
  return {
      from_integers(DType::int32, shape.result, convolve<std::int64_t>(shape, x.values, w.values))};
}

Results qlinear_matmul(const Call& call) {
  const Codes a = codes(call, 0, -2);
  const Codes b = codes(call, 3, -1);
  const Product p = product(call.input(0).shape(), call.input(3).shape());
  const std::vector<std::int64_t> sums = multiply<std::int64_t>(p, a.values, b.values);
  const double scale_a = one_scale(a);
  return {requantized(target(call, 6, 7), p.result, sums,
                      [&](std::size_t i) { return scale_a * column_scale(b, p.n, i); })};
}

Results matmul_integer(const Call& call) {
  const Codes a = codes_without_scale(call, 0, 2, -2);
  const Codes b = codes_without_scale(call, 1, 3, -1);
  const Product p = product(call.input(0).shape(), call.input(1).shape());
  return {from_integers(DType::int32, p.result, multiply<std::int64_t>(p, a.values, b.values))};
}

/// com.microsoft: (a, its scale and zero point, b, its, bias in units of both scales, the
/// result's).
Results qgemm(const Call& call) {
  const bool turned = attribute_int(call.node, "transB", 0) != 0;
  const Codes a = codes(call, 0, -1);
  const Codes b = codes(call, 3, turned ? 0 : 1);
  const auto operands = gemm_operands<std::int64_t>(call.node, call.input(0).shape(), a.values,
                                                    call.input(3).shape(), b.values);
  const Shape& shape = operands.shape.result;
  std::vector<std::int64_t> sums = multiply<std::int64_t>(operands.shape, operands.a, operands.b);
  if (call.has(6)) {
    const std::vector<std::int64_t> bias = to_int64(call.input(6));
    std::size_t i = 0;
    walk<1>(shape, {broadcast_strides(call.input(6).shape(), shape)},
            [&](const auto& places) { sums[i++] += bias[static_cast<std::size_t>(places[0])]; });
  }
  const double alpha = attribute_float(call.node, "alpha", 1);
  const double scale_a = one_scale(a);
  const auto scale = [&](std::size_t i) {
    return alpha * scale_a * column_scale(b, operands.shape.n, i);
  };
  if (call.has(7)) return {requantized(target(call, 7, 8), shape, sums, scale)};
  std::vector<double> values(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) values[i] = static_cast<double>(sums[i]) * scale(i);
  return {from_doubles(DType::float32, shape, values)};
}

}  // namespace quantlens::oracle
