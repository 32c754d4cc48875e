// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/runtime/oracle/codes.h"
#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

void refuse_blocks(const Call& call) {
  if (attribute_int(call.node, "block_size", 0) != 0) {
    refuse_unknown("the oracle does not know scales by blocks");
  }
}

}  // namespace

Results quantize_linear(const Call& call) {
  refuse_blocks(call);
  const Tensor& x = call.input(0);
  const std::int64_t axis = attribute_int(call.node, "axis", 1);
  const Coding how = coding(call, x.shape(), 1, 2, axis);
  const DType dtype =
      call.has(2) ? call.input(2).dtype() : dtype_attribute(call, "output_dtype", DType::uint8);
  const Tensor floats = to_float32(x);
  const std::span<const float> values = floats.data<float>();
  std::vector<std::int64_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = how.channel(i);
    const float steps = values[i] / how.scales[c];  // the specification divides in float32
    result[i] = saturated(steps, how.zero_points[c], dtype);
  }
  return {from_integers(dtype, x.shape(), result)};
}

Results dequantize_linear(const Call& call) {
  refuse_blocks(call);
  const Tensor& x = call.input(0);
  const std::int64_t axis = attribute_int(call.node, "axis", 1);
  const Codes from{coding(call, x.shape(), 1, 2, axis), to_int64(x)};
  std::vector<double> result(from.values.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t c = from.coding.channel(i);
    const auto steps = static_cast<float>(from.values[i] - from.coding.zero_points[c]);
    result[i] = steps * from.coding.scales[c];  // in float32, too
  }
  return {from_doubles(dtype_attribute(call, "output_dtype", call.input(1).dtype()), x.shape(),
                       result)};
}

Results dynamic_quantize_linear(const Call& call) {
  const Tensor floats = to_float32(call.input(0));
  const std::span<const float> values = floats.data<float>();
  float least = 0, greatest = 0;
  for (const float value : values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const float scale = least == greatest ? 1.0f : (greatest - least) / 255.0f;
  const std::int64_t zero_point = saturated(-least / scale, 0, DType::uint8);
  std::vector<std::int64_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = saturated(values[i] / scale, zero_point, DType::uint8);
  }
  return {from_integers(DType::uint8, floats.shape(), result), Tensor::scalar(scale),
          Tensor::scalar(static_cast<std::uint8_t>(zero_point))};
}

}  // namespace quantlens::oracle
