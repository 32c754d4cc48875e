// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/params.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/rounding.h"

namespace quantlens {
namespace {

constexpr float kMost = std::numeric_limits<float>::max();
constexpr float kLeastNormal = std::numeric_limits<float>::min();
constexpr float kInf = std::numeric_limits<float>::infinity();

constexpr Range kAwkwardRanges[] = {
    {0, 0},          {0, 1},           {-1, 0},      {-1, 1},
    {-0.5f, 12},     {3, 7},           {-9, -2},     {-1e-30f, 2},
    {-5, 1e-30f},    {1e-40f, 2e-40f}, {-1e-38f, 0}, {1e-44f, 1e30f},
    {-1e38f, 1e38f}, {-3.4e37f, 10},   {0, 6},       {-0.0f, 0.0f},
    {-2.3f, 2.3f},   {-128, 127},      {0, 255},     {-1e-20f, 1e-20f},
    {-0.1f, 100},    {-1000, 0.001f},  {5e-39f, 1},  {-7, kLeastNormal},
};

std::vector<Scheme> all_schemes() {
  std::vector<Scheme> schemes;
  for (const bool symmetric : {false, true}) {
    for (const DType dtype : {DType::int8, DType::uint8}) {
      for (const int bits : {8, 7, 4, 2}) {
        schemes.push_back({.dtype = dtype, .symmetric = symmetric, .bits = bits});
      }
    }
    for (const DType dtype : {DType::int16, DType::uint16, DType::int4, DType::uint4}) {
      schemes.push_back({.dtype = dtype, .symmetric = symmetric});
    }
  }
  return schemes;
}

/// Values all over a range, widened to hold zero, its edges included.
std::vector<float> samples(Range range) {
  const double min = std::min(range.min, 0.0f);
  const double max = std::max(range.max, 0.0f);
  std::vector<float> values{static_cast<float>(min), static_cast<float>(max), 0};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 500; ++i) {
    values.push_back(static_cast<float>(min + (max - min) * uniform(random)));
  }
  return values;
}

float fake_quantize(float value, const QParams& params, DType dtype) {
  return dequantize(quantize(value, params, dtype), params);
}

/// The real values that the least and greatest code of the scheme stand for.
Range representable(const QParams& params, const Scheme& scheme) {
  const CodeRange codes = code_range(scheme);
  return {.min = dequantize(static_cast<std::int32_t>(codes.min), params),
          .max = dequantize(static_cast<std::int32_t>(codes.max), params)};
}

TEST(Unclipped, EndsWhereQuantizeSaturates) {
  const QParams params{.scale = 0.5f, .zero_point = 10};
  for (const DType dtype : {DType::uint8, DType::int8}) {
    const Range range = unclipped(params, dtype);
    const CodeRange codes = code_limits(dtype);
    EXPECT_EQ(range.max, (static_cast<float>(codes.max) + 0.5f - 10) * 0.5f);
    EXPECT_EQ(range.min, (static_cast<float>(codes.min) - 0.5f - 10) * 0.5f);
    EXPECT_EQ(quantize(range.max - 0.01f, params, dtype), codes.max);
    EXPECT_EQ(quantize(range.max - 0.51f, params, dtype), codes.max - 1);
  }
}

TEST(Unclipped, IsARangeWhereAForeignScaleIsBelowZero) {
  const Range range = unclipped({.scale = -0.5f, .zero_point = 10}, DType::uint8);
  EXPECT_EQ(range.min, (255.5f - 10) * -0.5f);
  EXPECT_EQ(range.max, (-0.5f - 10) * -0.5f);
}

TEST(CodeRange, IsWhatEachSchemeCanUse) {
  const auto expect = [](DType dtype, bool symmetric, int bits, std::int64_t min,
                         std::int64_t max) {
    EXPECT_EQ(code_range({.dtype = dtype, .symmetric = symmetric, .bits = bits}),
              (CodeRange{min, max}));
  };
  expect(DType::int8, false, 8, -128, 127);
  expect(DType::int8, true, 8, -127, 127);
  expect(DType::int8, false, 7, -64, 63);
  expect(DType::int8, true, 7, -63, 63);
  expect(DType::uint8, false, 8, 0, 255);
  expect(DType::uint8, true, 8, 1, 255);
  expect(DType::uint8, false, 7, 0, 127);
  expect(DType::uint8, true, 7, 1, 127);
  expect(DType::int4, true, 8, -7, 7);
  expect(DType::uint4, false, 8, 0, 15);
  expect(DType::int16, false, 8, -32768, 32767);
  expect(DType::uint16, false, 8, 0, 65535);
  expect(DType::int32, false, 8, -2147483648, 2147483647);
}

TEST(CodeRange, RefusesWhatIsNoCode) {
  EXPECT_THROW(code_range({.dtype = DType::float32}), Error);
  EXPECT_THROW(code_range({.dtype = DType::int64}), Error);
  EXPECT_THROW(code_range({.dtype = DType::int8, .bits = 0}), Error);
  EXPECT_THROW(code_range({.dtype = DType::uint8, .bits = 9}), Error);
}

TEST(ChooseParams, GivesTheNumbersThatOnnxGives) {
  const Scheme u8{.dtype = DType::uint8};
  const Scheme i8{.dtype = DType::int8, .symmetric = true};
  EXPECT_EQ(choose_params({-1, 1}, u8), (QParams{static_cast<float>(2.0 / 255), 128}));
  EXPECT_EQ(choose_params({0, 6}, u8), (QParams{static_cast<float>(6.0 / 255), 0}));
  EXPECT_EQ(choose_params({-6, -2}, u8), (QParams{static_cast<float>(6.0 / 255), 255}));
  EXPECT_EQ(choose_params({2, 6}, u8), (QParams{static_cast<float>(6.0 / 255), 0}));
  EXPECT_EQ(choose_params({-3, 2}, i8), (QParams{static_cast<float>(3.0 / 127), 0}));
  EXPECT_EQ(choose_params({-3, 2}, {.dtype = DType::uint8, .symmetric = true}),
            (QParams{static_cast<float>(3.0 / 127), 128}));
  EXPECT_EQ(choose_params({-1, 3}, {.dtype = DType::int8}),
            (QParams{static_cast<float>(4.0 / 255), -64}));
  EXPECT_EQ(choose_params({0, 0}, u8), (QParams{1, 0}));
}

TEST(ChooseParams, AlwaysGivesANormalScaleAndAZeroPointInRange) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range& range : kAwkwardRanges) {
      const QParams params = choose_params(range, scheme);
      EXPECT_TRUE(std::isnormal(params.scale));
      EXPECT_GT(params.scale, 0);
      EXPECT_GE(params.zero_point, code_range(scheme).min);
      EXPECT_LE(params.zero_point, code_range(scheme).max);
    }
  }
}

TEST(ChooseParams, KeepsZeroExact) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range& range : kAwkwardRanges) {
      const QParams params = choose_params(range, scheme);
      EXPECT_EQ(fake_quantize(0, params, scheme.dtype), 0);
      EXPECT_EQ(quantize(0, params, scheme.dtype), params.zero_point);
    }
  }
}

TEST(ChooseParams, PutsTheMiddleAtZeroForSymmetricSchemes) {
  for (const Range& range : kAwkwardRanges) {
    EXPECT_EQ(choose_params(range, {.dtype = DType::int8, .symmetric = true}).zero_point, 0);
    EXPECT_EQ(choose_params(range, {.dtype = DType::uint8, .symmetric = true}).zero_point, 128);
  }
}

TEST(ChooseParams, CoversTheRangeToWithinHalfAStep) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range& range : kAwkwardRanges) {
      const QParams params = choose_params(range, scheme);
      const Range covered = representable(params, scheme);
      const double slack = 0.5001 * params.scale;
      const double rounding = 1 + 0x1p-23;  // of the float scale, and of its multiple
      EXPECT_LE(covered.min * rounding - slack, std::min(range.min, 0.0f));
      EXPECT_GE(covered.max * rounding + slack, std::max(range.max, 0.0f));
    }
  }
}

TEST(ChooseParams, GivesFiniteValuesEvenForTheLargestRange) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range range : {Range{-kMost, kMost}, Range{0, kMost}, Range{-kMost, 0}}) {
      const QParams params = choose_params(range, scheme);
      EXPECT_TRUE(std::isfinite(representable(params, scheme).min));
      EXPECT_TRUE(std::isfinite(representable(params, scheme).max));
      EXPECT_GT(representable(params, scheme).max - representable(params, scheme).min, 0);
    }
  }
}

TEST(ChooseParams, RefusesARangeThatIsNone) {
  EXPECT_THROW(choose_params({1, -1}, {}), Error);
  EXPECT_THROW(choose_params({0, kInf}, {}), Error);
  EXPECT_THROW(choose_params({NAN, 1}, {}), Error);
}

TEST(FakeQuantize, IsNeverOffByMoreThanHalfAStep) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range& range : kAwkwardRanges) {
      const QParams params = choose_params(range, scheme);
      // Beside the half step: the rounding of value / scale and of the product back.
      const double bound = 0.5 * double{params.scale} * 1.0001;
      for (const float value : samples(range)) {
        const double rounding = 0x1p-22 * std::abs(double{value});
        EXPECT_LE(std::abs(double{fake_quantize(value, params, scheme.dtype)} - double{value}),
                  bound + rounding)
            << value << " in " << range.min << ".." << range.max;
      }
    }
  }
}

TEST(FakeQuantize, ChangesNothingTheSecondTime) {
  for (const Scheme& scheme : all_schemes()) {
    for (const Range& range : kAwkwardRanges) {
      const QParams params = choose_params(range, scheme);
      for (const float value : samples(range)) {
        const float once = fake_quantize(value, params, scheme.dtype);
        EXPECT_EQ(fake_quantize(once, params, scheme.dtype), once);
      }
    }
  }
}

TEST(Quantize, NeverDecreasesAsTheValueGrows) {
  const QParams params{0.1f, 7};
  std::int32_t last = -128;
  for (int hundredths = -2000; hundredths < 2000; ++hundredths) {
    const float value = static_cast<float>(hundredths) / 100;
    const std::int32_t code = quantize(value, params, DType::int8);
    EXPECT_GE(code, last);
    last = code;
  }
}

TEST(Quantize, RoundsHalvesToEven) {
  const QParams params{2, 0};
  EXPECT_EQ(quantize(1, params, DType::int8), 0);
  EXPECT_EQ(quantize(3, params, DType::int8), 2);
  EXPECT_EQ(quantize(5, params, DType::int8), 2);
  EXPECT_EQ(quantize(-3, params, DType::int8), -2);
}

TEST(Quantize, SaturatesAtTheLimitsOfTheDtypeNotOfTheScheme) {
  const QParams params{1, 0};
  EXPECT_EQ(quantize(-1000, params, DType::int8), -128);
  EXPECT_EQ(quantize(kInf, params, DType::int8), 127);
  EXPECT_EQ(quantize(-kInf, params, DType::uint8), 0);
  EXPECT_EQ(quantize(kMost, {kLeastNormal, 3}, DType::uint8), 255);
  EXPECT_EQ(quantize(kMost, params, DType::int32), 2147483647);
  EXPECT_EQ(quantize(-kMost, params, DType::int32), -2147483648);
  EXPECT_EQ(quantize(100, params, DType::int4), 7);
}

TEST(Quantize, MakesNanTheZeroPoint) {
  EXPECT_EQ(quantize(NAN, {1, 17}, DType::uint8), 17);
}

TEST(RoundHalfEven, AgreesWithTheLibraryOnEveryFloat) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    ASSERT_EQ(round_half_even(value), std::nearbyint(value)) << value;
  }
  for (int halves = -40; halves <= 40; ++halves) {
    const float value = static_cast<float>(halves) / 2;
    EXPECT_EQ(round_half_even(value), std::nearbyint(value));
  }
}

TEST(ChooseParamsWithin, KeepsEveryCodeInsideTheBounds) {
  const Scheme scheme{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
  for (const Range& bounds : {Range{-0.5F, 1}, Range{0, 6}, Range{-3, 0}, Range{-1e-3F, 7.1F},
                              Range{-0.3F, 0.7F}, Range{-5, std::numeric_limits<float>::max()}}) {
    for (const float share : {0.1F, 0.77F, 1.0F}) {
      const Range range{bounds.min * share, std::min(bounds.max, 100.0F) * share};
      const QParams params = choose_params_within(range, bounds, scheme);
      EXPECT_GE(dequantize(0, params), bounds.min);
      EXPECT_LE(dequantize(255, params), bounds.max);
      const QParams free = choose_params(range, scheme);
      EXPECT_NEAR(params.scale, free.scale, free.scale / 60) << bounds.min << ' ' << share;
    }
  }
}

TEST(ChooseParamsWithin, IsTheFreeChoiceWhereThatFits) {
  const Scheme scheme{.dtype = DType::int8, .symmetric = false, .axis = {}, .bits = 8};
  const Range range{-1, 3};
  EXPECT_EQ(choose_params_within(range, {-2, 4}, scheme), choose_params(range, scheme));
}

TEST(ChooseParamsWithin, StaysWithinTheBoundsOfAValueThatIsAlwaysZero) {
  const Scheme scheme{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
  const QParams params = choose_params_within({0, 0}, {0, 6}, scheme);
  EXPECT_EQ(params.zero_point, 0);
  EXPECT_LE(dequantize(255, params), 6.0F);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Range& bounds : {Range{0, 0}, Range{-kInfinity, 0}})  // no room, or no end
    EXPECT_EQ(choose_params_within({0, 0}, bounds, scheme), choose_params({0, 0}, scheme));
}

}  // namespace
}  // namespace quantlens
