// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace quantlens {

float float_from_half(std::uint16_t bits);   ///< IEEE binary16, subnormals, inf and NaN included
std::uint16_t half_from_float(float value);  ///< rounds to nearest even; overflow becomes inf
float float_from_bfloat16(std::uint16_t bits);
std::uint16_t bfloat16_from_float(float value);  ///< rounds to nearest even; NaN stays NaN

}  // namespace quantlens
