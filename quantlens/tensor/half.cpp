// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/half.h"

#include <bit>

namespace quantlens {
namespace {

/// value / 2^shift, rounded to nearest even. REQUIRES: 0 < shift < 32.
std::uint32_t shift_rounded(std::uint32_t value, unsigned shift) {
  const std::uint32_t kept = value >> shift;
  const std::uint32_t rest = value & ((1U << shift) - 1U);
  const std::uint32_t half = 1U << (shift - 1U);
  const bool up = rest > half || (rest == half && (kept & 1U) != 0);
  return kept + (up ? 1U : 0U);
}

}  // namespace

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  }
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;  // zero or subnormal, exact
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U | ((magnitude >> 13U) & 0x3FFU);  // NaN: stays quiet, keeps its payload's top
  } else if (magnitude >= 0x47800000U) {
    half = 0x7C00U;  // 2^16 and more
  } else if (magnitude >= 0x38800000U) {
    half = shift_rounded(magnitude - 0x38000000U, 13);  // may round up to inf
  } else if (magnitude >= 0x33000000U) {
    // Subnormal in half: the mantissa, its leading one shown, counted in units of 2^-24.
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    half = shift_rounded(mantissa, 126U - (magnitude >> 23U));
  }
  return static_cast<std::uint16_t>(sign | half);
}

float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint16_t bfloat16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>(shift_rounded(bits, 16));
}

}  // namespace quantlens
