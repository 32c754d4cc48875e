// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/runtime/oracle/convolve.h"
#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {

ConvShape conv_shape(const Call& call, const Tensor& x, const Tensor& w) {
  const Shape& in = x.shape();
  const Shape& kernel = w.shape();
  const std::int64_t groups = attribute_int(call.node, "group", 1);
  if (in.size() < 3 || kernel.size() != in.size() || groups < 1 || in[1] % groups != 0 ||
      in[1] / groups != kernel[1] || kernel[0] % groups != 0) {
    refuse(fmt::format("its input {} and its weight {} do not fit in {} groups", to_string(in),
                       to_string(kernel), groups));
  }
  ConvShape shape;
  shape.batch = in[0];
  shape.groups = groups;
  shape.in = kernel[1];
  shape.out = kernel[0] / groups;
  const auto found = windows(call, std::span(in).subspan(2), std::span(kernel).subspan(2));
  shape.windows = three(found);
  shape.result = {in[0], kernel[0]};
  for (const Window& window : found) shape.result.push_back(window.out);
  checked_size(shape.result);
  return shape;
}

Results conv(const Call& call) {
  const Tensor& x = call.input(0);
  const Tensor& w = call.input(1);
  const ConvShape shape = conv_shape(call, x, w);
  std::vector<double> y = convolve<double>(shape, doubles(x), doubles(w));
  if (call.has(2)) {
    const std::vector<double> bias = doubles(call.input(2));
    const auto channels = static_cast<std::size_t>(shape.result[1]);
    if (bias.size() != channels) refuse(fmt::format("its bias has {} elements", bias.size()));
    const std::size_t block = static_cast<std::size_t>(shape.windows[0].out * shape.windows[1].out *
                                                       shape.windows[2].out);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i / block % channels];
  }
  return {from_doubles(x.dtype(), shape.result, y)};
}

}  // namespace quantlens::oracle
