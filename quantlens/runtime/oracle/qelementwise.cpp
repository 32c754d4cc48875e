// SPDX-License-Identifier: Apache-2.0
// The com.microsoft ops on codes that work element by element, or average: computed on the real
// values in double and rounded to codes once.
#include "quantlens/runtime/oracle/codes.h"
#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"
#include "quantlens/runtime/oracle/pool.h"

namespace quantlens::oracle {
namespace {

std::vector<double> real_values(const Codes& codes) {
  std::vector<double> values(codes.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(codes.values[i]) *
                static_cast<double>(codes.coding.scales[codes.coding.channel(i)]);
  }
  return values;
}

/// (a, its scale and zero point, b, its, the result's).
Results combined(const Call& call, auto f) {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(3);
  const std::vector<double> x = real_values(codes(call, 0, 0));
  const std::vector<double> y = real_values(codes(call, 3, 0));
  const Shape shape = broadcast(a.shape(), b.shape());
  std::vector<double> values(checked_size(shape));
  std::size_t i = 0;
  walk<2>(shape, {broadcast_strides(a.shape(), shape), broadcast_strides(b.shape(), shape)},
          [&](const std::array<std::int64_t, 2>& at) {
            values[i++] = f(x[static_cast<std::size_t>(at[0])], y[static_cast<std::size_t>(at[1])]);
          });
  return {coded(target(call, 6, 7), shape, values)};
}

void refuse_channels_last(const Call& call) {
  if (attribute_int(call.node, "channels_last", 0) != 0) {
    refuse_unknown("the oracle knows pools with channels first only");
  }
}

}  // namespace

Results qlinear_add(const Call& call) {
  return combined(call, [](double a, double b) { return a + b; });
}

Results qlinear_mul(const Call& call) {
  return combined(call, [](double a, double b) { return a * b; });
}

/// (the result's scale and zero point, then each tensor with its scale and zero point).
Results qlinear_concat(const Call& call) {
  const Target to = target(call, 0, 1);
  std::vector<Tensor> parts;
  for (std::size_t i = 2; i < call.inputs.size(); i += 3) {
    parts.push_back(coded(to, call.input(i).shape(), real_values(codes(call, i, 0))));
  }
  Call joined{call.node, call.opset, {}};
  for (const Tensor& part : parts) joined.inputs.push_back(&part);
  return concat(joined);
}

/// (x, its scale and zero point, the result's).
Results qlinear_average_pool(const Call& call) {
  refuse_channels_last(call);
  const PoolShape shape = pool_shape(call, call.input(0));
  return {coded(target(call, 3, 4), shape.result, averages(shape, real_values(codes(call, 0, 0))))};
}

Results qlinear_global_average_pool(const Call& call) {
  refuse_channels_last(call);
  const PoolShape shape = global_pool_shape(call.input(0));
  return {coded(target(call, 3, 4), shape.result, averages(shape, real_values(codes(call, 0, 0))))};
}

}  // namespace quantlens::oracle
