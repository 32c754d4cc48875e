// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quantlens/quant/scheme.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// A closed interval of real values. REQUIRES where used: min <= max, both finite.
struct Range {
  float min = 0;
  float max = 0;
  bool operator==(const Range&) const = default;
};
BOOST_DESCRIBE_STRUCT(Range, (), (min, max))

/// real = scale * (code - zero_point). scale > 0, finite and normal.
struct QParams {
  float scale = 1;
  std::int32_t zero_point = 0;
  bool operator==(const QParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(QParams, (), (scale, zero_point))

/// The parameters that cover `range` with every code of the scheme (`code_range`). The range is
/// first widened to contain zero, so that zero stays exact; an empty range (0..0) gives scale 1.
/// Affine: scale = (max - min) / (greatest - least code), zero point = least - min / scale, rounded
/// to nearest even. Symmetric: the zero point is the middle code (0 if signed, 128 for uint8) and
/// scale = max(|min|, |max|) / (greatest code - zero point). Computed in double, the scale then
/// rounded to float; it never falls below the least normal float, and is never so large that a code
/// stands for an infinity. Throws Errc::bad_input for a range that is not finite or is reversed.
QParams choose_params(Range range, const Scheme& scheme);

/// As above, and no code of an affine scheme stands for a value outside `bounds`, which include
/// zero: saturating is then what clipping to the bounds is. The range may lose up to one step.
QParams choose_params_within(Range range, const Range& bounds, const Scheme& scheme);

/// The values that round to a code of the dtype; those outside are clipped: half a step beyond the
/// least and the greatest code.
Range unclipped(const QParams& params, DType dtype);

/// Code of one value: round half to even of value / scale, plus zero point, saturated to the
/// dtype's own limits (as ONNX QuantizeLinear does; NaN becomes the zero point).
std::int32_t quantize(float value, const QParams& params, DType dtype);

/// Value of one code, in float32 arithmetic: float(code - zero_point) * scale.
inline float dequantize(std::int32_t code, const QParams& params) {
  return static_cast<float>(std::int64_t{code} - params.zero_point) * params.scale;
}

/// A float tensor as codes of scheme.dtype, each as the function above gives it; `params` has one
/// entry, or one per index of scheme.axis. Throws Errc::bad_input where they do not fit the shape.
Tensor quantize(const Tensor& values, std::span<const QParams> params, const Scheme& scheme);

/// Codes (int8, uint8, int16, uint16, int32, int4, uint4) back to float32; `axis` and `params` as
/// above.
Tensor dequantize(const Tensor& codes, std::span<const QParams> params, std::optional<int> axis);

/// Codes, or zero points, as a tensor of a dtype that holds them: of one, two or four bytes each (4
/// bits take a byte). REQUIRES: as many as the shape has elements, each within `code_limits`.
Tensor codes_tensor(DType dtype, const Shape& shape, std::span<const std::int32_t> codes);

/// The extremes of a float tensor, whole (one entry) or for each index of `axis`; non-finite values
/// ignored, 0..0 where there are none. Throws Errc::bad_input for an axis it does not have.
std::vector<Range> extremes(const Tensor& values, std::optional<int> axis);

}  // namespace quantlens
