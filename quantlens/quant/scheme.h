// quant: the arithmetic of number formats: schemes, scales and zero points, rounding. Knows
// tensors, no models and no recipes. Start with params.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "quantlens/tensor/dtype.h"

namespace quantlens {

/// The least and greatest code of an integer format, both inclusive.
struct CodeRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool operator==(const CodeRange&) const = default;
};

/// Of int8 and uint8 with `reduce_range`.
inline constexpr int kReducedBits = 7;

/// How a tensor is quantized: dtype, symmetric or affine, per tensor or per channel, bits.
struct Scheme {
  DType dtype = DType::uint8;  ///< int8, uint8, int16, uint16, int4, uint4 or int32 (bias)
  bool symmetric = false;      ///< zero point in the middle of the code range (0 if signed)
  std::optional<int> axis;     ///< per channel along this axis; absent: per tensor
  int bits = 8;  ///< of int8 and uint8: 7 is reduce_range; other dtypes use all theirs
  bool operator==(const Scheme&) const = default;
};

/// The codes a scheme uses. Affine: all that its bits hold (int8 -128..127, with 7 bits -64..63;
/// uint8 0..255, with 7 bits 0..127). Symmetric: one fewer, as many on each side of the zero point
/// (int8 -127..127, with 7 bits -63..63; uint8 1..255 around 128, with 7 bits 1..127 around 64).
/// Throws Errc::unsupported for a dtype that is no code, Errc::bad_input for bits outside 2..8.
CodeRange code_range(const Scheme& scheme);

/// Whether codes of 8 bits and fewer are below 0, too: int8, int4.
bool has_signed_codes(DType dtype);

/// Every code of an integer dtype, used by a scheme or not: where QuantizeLinear saturates.
/// Throws Errc::unsupported for a dtype that is no code (float, 64-bit, boolean, string).
CodeRange code_limits(DType dtype);

}  // namespace quantlens
