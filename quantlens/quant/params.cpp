// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/params.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/rounding.h"

namespace quantlens {

namespace {

template <class T>
Tensor narrowed(DType dtype, const Shape& shape, std::span<const std::int32_t> codes) {
  const auto owner = std::make_shared<std::vector<T>>();
  for (const std::int32_t code : codes) owner->push_back(static_cast<T>(code));
  return Tensor(dtype, shape, std::as_bytes(std::span<const T>(*owner)), owner);
}

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr double kLeastScale = std::numeric_limits<float>::min();

/// `scale` as a float, lowered where the code furthest from the zero point would overflow.
float finite_scale(double scale, std::int64_t zero_point, CodeRange codes) {
  const std::int64_t steps = std::max(codes.max - zero_point, zero_point - codes.min);
  const float rounded = static_cast<float>(scale);
  if (std::isfinite(static_cast<float>(steps) * rounded)) return rounded;
  return std::nextafter(kLargest / static_cast<float>(steps), 0.0f);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

QParams choose_params(Range range, const Scheme& scheme) {
  if (!std::isfinite(range.min) || !std::isfinite(range.max) || range.min > range.max) {
    throw Error(Errc::bad_input, fmt::format("{}..{} is no range to quantize; it must be finite "
                                             "and in order",
                                             range.min, range.max));
  }
  const CodeRange codes = code_range(scheme);
  const double min = std::min(range.min, 0.0f);
  const double max = std::max(range.max, 0.0f);
  const bool is_signed = codes.min < 0;
  const std::int64_t middle = is_signed ? 0 : (codes.max + 1) / 2;
  if (min == max) {
    const std::int64_t zero_point = scheme.symmetric ? middle : is_signed ? 0 : codes.min;
    return {.scale = 1, .zero_point = static_cast<std::int32_t>(zero_point)};
  }
  double scale = 0;
  std::int64_t zero_point = middle;
  if (scheme.symmetric) {
    scale = std::max(-min, max) / static_cast<double>(codes.max - middle);
    scale = std::max(scale, kLeastScale);
  } else {
    scale = (max - min) / static_cast<double>(codes.max - codes.min);
    scale = std::max(scale, kLeastScale);
    const double exact = static_cast<double>(codes.min) - min / scale;
    zero_point = std::clamp(static_cast<std::int64_t>(std::nearbyint(exact)), codes.min, codes.max);
  }
  return {.scale = finite_scale(scale, zero_point, codes),
          .zero_point = static_cast<std::int32_t>(zero_point)};
}

QParams choose_params_within(Range range, const Range& bounds, const Scheme& scheme) {
  const QParams free = choose_params(range, scheme);
  const CodeRange codes = code_range(scheme);
  const bool fits = dequantize(static_cast<std::int32_t>(codes.min), free) >= bounds.min &&
                    dequantize(static_cast<std::int32_t>(codes.max), free) <= bounds.max;
  const double min = std::max(std::min(range.min, 0.0F), bounds.min);
  const double max = std::min(std::max(range.max, 0.0F), bounds.max);
  if (fits || scheme.symmetric) return free;
  if (min >= max) {  // of a value that is always zero any scale is exact
    const bool has_room = bounds.min < bounds.max && std::isfinite(bounds.min) &&
                          std::isfinite(bounds.max) && bounds.min <= 0 && bounds.max >= 0;
    return has_room ? choose_params_within(bounds, bounds, scheme) : free;
  }
  const std::int64_t steps = codes.max - codes.min;
  const auto scale_with = [&](std::int64_t below) {  // so many codes below zero
    const double left = below > 0 ? -min / static_cast<double>(below) : kInfinity;
    const double right = below < steps ? max / static_cast<double>(steps - below) : kInfinity;
    return std::min(left, right);
  };
  auto below = static_cast<std::int64_t>(static_cast<double>(steps) * -min / (max - min));
  if (below < steps && scale_with(below + 1) > scale_with(below)) ++below;
  const double scale = scale_with(below);
  auto rounded = static_cast<float>(scale);
  if (rounded > scale) rounded = std::nextafter(rounded, 0.0F);
  if (!std::isnormal(rounded)) return free;
  return {.scale = rounded, .zero_point = static_cast<std::int32_t>(codes.min + below)};
}

Range unclipped(const QParams& params, DType dtype) {
  const CodeRange codes = code_limits(dtype);
  const auto edge = [&](double code) {
    return static_cast<float>((code - params.zero_point) * double{params.scale});
  };
  const float one = edge(static_cast<double>(codes.min) - 0.5);
  const float other = edge(static_cast<double>(codes.max) + 0.5);
  return {.min = std::min(one, other), .max = std::max(one, other)};  // a scale may be below 0
}

std::int32_t quantize(float value, const QParams& params, DType dtype) {
  const CodeRange limits = code_limits(dtype);
  const float steps = std::isnan(value) ? 0 : round_half_even(value / params.scale);
  const double code = double{steps} + params.zero_point;
  return static_cast<std::int32_t>(
      std::clamp(code, static_cast<double>(limits.min), static_cast<double>(limits.max)));
}

Tensor codes_tensor(DType dtype, const Shape& shape, std::span<const std::int32_t> codes) {
  switch (byte_size(dtype)) {
    case 1:
      return narrowed<std::uint8_t>(dtype, shape, codes);
    case 2:
      return narrowed<std::uint16_t>(dtype, shape, codes);
    default:
      return narrowed<std::int32_t>(dtype, shape, codes);
  }
}

}  // namespace quantlens
