// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/half.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace quantlens {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Half, ReadsTheFormatsLandmarks) {
  EXPECT_EQ(float_from_half(0x0000), 0.0F);
  EXPECT_TRUE(std::signbit(float_from_half(0x8000)));
  EXPECT_EQ(float_from_half(0x3C00), 1.0F);
  EXPECT_EQ(float_from_half(0xC000), -2.0F);
  EXPECT_EQ(float_from_half(0x7BFF), 65504.0F);
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24F);
  EXPECT_EQ(float_from_half(0x03FF), 1023 * 0x1p-24F);
  EXPECT_EQ(float_from_half(0x0400), 0x1p-14F);
  EXPECT_EQ(float_from_half(0xFC00), -kInf);
  EXPECT_TRUE(std::isnan(float_from_half(0x7E00)));
  EXPECT_TRUE(std::isnan(float_from_half(0x7C01)));
}

TEST(Half, CarriesEveryValueThroughFloat) {
  for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_half(half_from_float(value))));
    } else {
      EXPECT_EQ(half_from_float(value), half);
    }
  }
}

/// Between neighbours a and b every float rounds to the nearer one, the middle to the even one.
TEST(Half, RoundsToNearestEvenBetweenAllNeighbours) {
  for (unsigned bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const float middle = (float_from_half(low) + float_from_half(high)) / 2;
    EXPECT_EQ(half_from_float(middle), bits % 2 == 0 ? low : high);
    EXPECT_EQ(half_from_float(std::nextafter(middle, 0.0F)), low);
    EXPECT_EQ(half_from_float(std::nextafter(middle, kInf)), high);
    EXPECT_EQ(half_from_float(-middle), half_from_float(middle) | 0x8000);
  }
}

TEST(Half, OverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(half_from_float(65519.996F), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(half_from_float(-kInf), 0xFC00);
  EXPECT_EQ(half_from_float(0x1p-25F), 0x0000);
  EXPECT_EQ(half_from_float(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(BFloat16, CarriesEveryValueThroughFloat) {
  for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    const float value = float_from_bfloat16(narrow);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_bfloat16(bfloat16_from_float(value))));
    } else {
      EXPECT_EQ(bfloat16_from_float(value), narrow);
    }
  }
}

TEST(BFloat16, RoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(bfloat16_from_float(std::bit_cast<float>(0x3F808000U)), 0x3F80);  // tie, even
  EXPECT_EQ(bfloat16_from_float(std::bit_cast<float>(0x3F818000U)), 0x3F82);  // tie, odd
  EXPECT_EQ(bfloat16_from_float(std::bit_cast<float>(0x3F808001U)), 0x3F81);
  EXPECT_EQ(bfloat16_from_float(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(bfloat16_from_float(-kInf), 0xFF80);
}

TEST(BFloat16, KeepsANanWhosePayloadIsAllInTheLowBits) {
  const auto nan = std::bit_cast<float>(0x7F800001U);
  EXPECT_TRUE(std::isnan(float_from_bfloat16(bfloat16_from_float(nan))));
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(nan))));
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(-kNan))));
}

RC_GTEST_PROP(Half, NeverIsOffByMoreThanHalfAStep, (std::uint32_t bits)) {
  const auto value = std::bit_cast<float>(bits);
  RC_PRE(std::abs(value) <= 65504.0F);
  const int exponent = std::max(-14, value == 0 ? -14 : std::ilogb(value));
  const float step = std::ldexp(1.0F, exponent - 10);
  RC_ASSERT(std::abs(float_from_half(half_from_float(value)) - value) <= step / 2);
}

}  // namespace
}  // namespace quantlens
