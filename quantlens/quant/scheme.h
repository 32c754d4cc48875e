// quant: the arithmetic of number formats: schemes, scales and zero points, rounding. Knows tensors,
// no models and no recipes. Start with params.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "quantlens/tensor/dtype.h"

namespace quantlens {

/// The least and greatest code of an integer format, both inclusive.
struct CodeRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool operator==(const CodeRange&) const = default;
};

/// How a tensor is quantized: dtype, symmetric or affine, per tensor or per channel, bits.
struct Scheme {
  DType dtype = DType::uint8;  ///< int8, uint8, int16, uint16, int4, uint4 or int32 (bias)
  bool symmetric = false;      ///< zero point in the middle of the code range (0 if signed)
  std::optional<int> axis;     ///< per channel along this axis; absent: per tensor
  int bits = 8;                ///< fewer than the dtype holds: reduce_range (7)
  bool operator==(const Scheme&) const = default;
};

/// The codes a scheme uses: a symmetric signed one drops the lowest (int8: -127..127); reduced
/// ranges: uint8 with 7 bits 0..127, int8 with 7 bits -64..63, symmetric -63..63.
CodeRange code_range(const Scheme& scheme);

}  // namespace quantlens
