// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/scheme.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {

namespace {

CodeRange codes_of_bits(int bits, bool is_signed) {
  const std::int64_t codes = std::int64_t{1} << bits;
  return is_signed ? CodeRange{-codes / 2, codes / 2 - 1} : CodeRange{0, codes - 1};
}

}  // namespace

bool has_signed_codes(DType dtype) {
  return dtype == DType::int8 || dtype == DType::int4;
}

CodeRange code_limits(DType dtype) {
  switch (dtype) {
    case DType::int4:
      return codes_of_bits(4, true);
    case DType::uint4:
      return codes_of_bits(4, false);
    case DType::int8:
      return codes_of_bits(8, true);
    case DType::uint8:
      return codes_of_bits(8, false);
    case DType::int16:
      return codes_of_bits(16, true);
    case DType::uint16:
      return codes_of_bits(16, false);
    case DType::int32:
      return codes_of_bits(32, true);
    default:
      throw Error(Errc::unsupported,
                  fmt::format("{} is no dtype to quantize to; choose int8, uint8, int16, uint16, "
                              "int4 or uint4",
                              name(dtype)));
  }
}

CodeRange code_range(const Scheme& scheme) {
  CodeRange range = code_limits(scheme.dtype);
  if (scheme.dtype == DType::int8 || scheme.dtype == DType::uint8) {
    if (scheme.bits < 2 || scheme.bits > 8) {
      throw Error(Errc::bad_input, fmt::format("{} bits for {}: give 8, or 7 for a reduced range",
                                               scheme.bits, name(scheme.dtype)));
    }
    range = codes_of_bits(scheme.bits, scheme.dtype == DType::int8);
  }
  if (scheme.symmetric) ++range.min;
  return range;
}

}  // namespace quantlens
