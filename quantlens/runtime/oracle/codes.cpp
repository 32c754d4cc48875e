// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/codes.h"

#include <fmt/format.h>

#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

std::vector<float> scales_of(const Tensor& tensor) {
  const Tensor floats = to_float32(tensor);
  const std::span<const float> values = floats.data<float>();
  return {values.begin(), values.end()};
}

Codes centred(const Tensor& x, Coding coding) {
  Codes result{std::move(coding), to_int64(x)};
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] -= result.coding.zero_points[result.coding.channel(i)];
  }
  return result;
}

/// Around the axis if there are several entries; the whole tensor as one channel otherwise.
Around channels(const Shape& shape, std::size_t entries, std::int64_t axis) {
  if (entries == 1) return {.inner = std::max<std::size_t>(1, checked_size(shape))};
  Around size = around(shape, axis_in(axis, shape.size()));
  if (size.extent != entries) {
    refuse(fmt::format("it has {} scales for the {} indices of axis {} of {}", entries, size.extent,
                       axis, to_string(shape)));
  }
  if (size.inner == 0) size.inner = 1;  // no element will ask
  return size;
}

}  // namespace

Coding coding(const Call& call, const Shape& shape, std::size_t scale_input,
              std::size_t zero_point_input, std::int64_t axis) {
  Coding result;
  result.scales = scales_of(call.input(scale_input));
  result.size = channels(shape, result.scales.size(), axis);
  result.zero_points.resize(result.scales.size());
  if (call.has(zero_point_input)) {
    const std::vector<std::int64_t> given = to_int64(call.input(zero_point_input));
    if (given.size() == 1) {
      result.zero_points.assign(result.scales.size(), given[0]);
    } else if (given.size() == result.scales.size()) {
      result.zero_points = given;
    } else {
      refuse(
          fmt::format("it has {} scales and {} zero points", result.scales.size(), given.size()));
    }
  }
  return result;
}

Codes codes(const Call& call, std::size_t i, std::int64_t axis) {
  return centred(call.input(i), coding(call, call.input(i).shape(), i + 1, i + 2, axis));
}

Codes codes_without_scale(const Call& call, std::size_t i, std::size_t zero_point_input,
                          std::int64_t axis) {
  Coding result;
  result.zero_points = {0};
  if (call.has(zero_point_input)) result.zero_points = to_int64(call.input(zero_point_input));
  result.scales.assign(result.zero_points.size(), 1.0f);
  result.size = channels(call.input(i).shape(), result.zero_points.size(), axis);
  return centred(call.input(i), std::move(result));
}

Target target(const Call& call, std::size_t scale_input, std::size_t zero_point_input) {
  Target result;
  result.scale = number(call.input(scale_input));
  if (call.has(zero_point_input)) {
    result.zero_point = static_cast<std::int64_t>(number(call.input(zero_point_input)));
    result.dtype = call.input(zero_point_input).dtype();
  }
  return result;
}

Tensor coded(const Target& target, Shape shape, const std::vector<double>& values) {
  std::vector<std::int64_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = saturated(values[i] / target.scale, target.zero_point, target.dtype);
  }
  return from_integers(target.dtype, std::move(shape), result);
}

}  // namespace quantlens::oracle
