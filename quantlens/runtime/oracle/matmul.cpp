// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"
#include "quantlens/runtime/oracle/product.h"

namespace quantlens::oracle {

Product product(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) refuse("it multiplies a scalar");
  Shape left = a, right = b;
  if (a.size() == 1) left.insert(left.begin(), 1);
  if (b.size() == 1) right.push_back(1);
  Product p;
  p.m = left[left.size() - 2];
  p.k = left.back();
  p.n = right.back();
  if (right[right.size() - 2] != p.k) {
    refuse(fmt::format("shapes {} and {} do not multiply", to_string(a), to_string(b)));
  }
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  p.batch = broadcast(left, right);
  p.batch_a = broadcast_strides(left, p.batch);
  p.batch_b = broadcast_strides(right, p.batch);
  p.result = p.batch;
  if (a.size() > 1) p.result.push_back(p.m);
  if (b.size() > 1) p.result.push_back(p.n);
  checked_size(p.result);
  return p;
}

Results matmul(const Call& call) {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  const Product p = product(a.shape(), b.shape());
  if (!is_float(a.dtype())) {
    return {
        from_integers(a.dtype(), p.result, multiply<std::int64_t>(p, to_int64(a), to_int64(b)))};
  }
  return {from_doubles(a.dtype(), p.result, multiply<double>(p, doubles(a), doubles(b)))};
}

Results gemm(const Call& call) {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  const auto operands =
      gemm_operands<double>(call.node, a.shape(), doubles(a), b.shape(), doubles(b));
  const Shape& shape = operands.shape.result;
  std::vector<double> y = multiply<double>(operands.shape, operands.a, operands.b);
  const double alpha = attribute_float(call.node, "alpha", 1);
  for (double& value : y) value *= alpha;
  if (call.has(2)) {
    const double beta = attribute_float(call.node, "beta", 1);
    const std::vector<double> c = doubles(call.input(2));
    const Strides steps = broadcast_strides(call.input(2).shape(), shape);
    std::size_t i = 0;
    walk<1>(shape, {steps},
            [&](const auto& places) { y[i++] += beta * c[static_cast<std::size_t>(places[0])]; });
  }
  return {from_doubles(a.dtype(), shape, y)};
}

}  // namespace quantlens::oracle
