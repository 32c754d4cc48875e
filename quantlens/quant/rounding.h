// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace quantlens {

/// The nearest integer, ties to even, as ONNX wants it; std::nearbyint without a call into the
/// library where the instruction set has no rounding. NaN and infinities stay as they are.
inline float round_half_even(float value) {
  constexpr float kTwo23 = 0x1p23f;  // from here on every float is an integer
  const float magnitude = std::fabs(value);
  if (!(magnitude < kTwo23)) return value;
  return std::copysign((magnitude + kTwo23) - kTwo23, value);
}

/// The same of a double, without a branch: magnitudes from 2^51 on may change.
inline double nearest_whole(double value) {
  constexpr double kHalfway = 0x1.8p52;
  return (value + kHalfway) - kHalfway;
}

}  // namespace quantlens
