// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor random_tensor(Shape shape, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
  for (float& value : values) value = normal(random);
  return Tensor::from<float>(std::move(shape), std::move(values));
}

/// The code of one element, in double arithmetic, without any of our functions.
double plain_code(float value, const QParams& params, double min, double max) {
  const float steps = value / params.scale;
  return std::clamp(std::nearbyint(double{steps}) + params.zero_point, min, max);
}

std::vector<QParams> params_of(const Tensor& values, const Scheme& scheme) {
  std::vector<QParams> params;
  for (const Range& range : extremes(values, scheme.axis)) {
    params.push_back(choose_params(range, scheme));
  }
  return params;
}

TEST(QuantizeTensor, AgreesWithAPlainLoopForEveryAxis) {
  const Tensor values = random_tensor({4, 3, 5, 2});
  const std::span<const float> in = values.data<float>();
  constexpr std::size_t kInner[] = {30, 10, 2, 1};
  for (int axis = -1; axis < 4; ++axis) {
    const std::optional<int> channels = axis < 0 ? std::nullopt : std::optional(axis);
    const Scheme scheme{.dtype = DType::uint8, .axis = channels};
    const std::vector<QParams> params = params_of(values, scheme);
    const Tensor codes = quantize(values, params, scheme);
    ASSERT_EQ(codes.dtype(), DType::uint8);
    ASSERT_EQ(codes.shape(), values.shape());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t channel =
          axis < 0 ? 0
                   : i / kInner[axis] %
                         static_cast<std::size_t>(values.shape()[static_cast<std::size_t>(axis)]);
      EXPECT_EQ(codes.data<std::uint8_t>()[i], plain_code(in[i], params[channel], 0, 255));
    }
  }
}

template <class Code>
void expect_scalar_codes(const Tensor& values, const QParams& params, DType dtype) {
  const Tensor codes = quantize(values, std::vector{params}, {.dtype = dtype});
  const std::span<const float> in = values.data<float>();
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(codes.data<Code>()[i], quantize(in[i], params, dtype)) << in[i];
  }
}

TEST(QuantizeTensor, GivesEveryElementTheCodeOfTheScalarFunction) {
  std::vector<float> awkward{0,      -0.0f,     1,          -1,     0.5f,  1.5f,   2.5f,
                             -2.5f,  kInfinity, -kInfinity, NAN,    1e38f, -1e38f, 1e-40f,
                             127.5f, 128.5f,    -128.5f,    254.5f, 3e9f,  -3e9f,  32767.5f};
  const auto count = static_cast<std::int64_t>(awkward.size());
  const Tensor values = Tensor::from<float>({count}, std::move(awkward));
  for (const QParams params : {QParams{1, 0}, QParams{0.25f, 3}, QParams{1e-38f, 1}}) {
    expect_scalar_codes<std::int8_t>(values, params, DType::int8);
    expect_scalar_codes<std::uint8_t>(values, params, DType::uint8);
    expect_scalar_codes<std::int16_t>(values, params, DType::int16);
    expect_scalar_codes<std::uint16_t>(values, params, DType::uint16);
    expect_scalar_codes<std::int32_t>(values, params, DType::int32);
    expect_scalar_codes<std::int8_t>(values, params, DType::int4);
    expect_scalar_codes<std::uint8_t>(values, params, DType::uint4);
  }
}

TEST(QuantizeTensor, ComesBackWithinHalfAStep) {
  const Tensor values = random_tensor({6, 7, 8});
  for (const DType dtype : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int4}) {
    for (const std::optional<int> axis :
         {std::optional<int>(), std::optional(1), std::optional(-1)}) {
      const Scheme scheme{.dtype = dtype, .symmetric = dtype == DType::int8, .axis = axis};
      const std::vector<QParams> params = params_of(values, scheme);
      const Tensor back = dequantize(quantize(values, params, scheme), params, axis);
      float step = 0;
      for (const QParams& each : params) step = std::max(step, each.scale);
      for (std::size_t i = 0; i < values.data<float>().size(); ++i) {
        EXPECT_NEAR(back.data<float>()[i], values.data<float>()[i], 0.5001f * step);
      }
    }
  }
}

TEST(QuantizeTensor, RefusesScalesThatDoNotFit) {
  const Tensor values = random_tensor({2, 3});
  const std::vector<QParams> two(2);
  EXPECT_NO_THROW(quantize(values, two, {.axis = 0}));
  EXPECT_THROW(quantize(values, two, {.axis = 1}), Error);
  EXPECT_THROW(quantize(values, two, {}), Error);
  EXPECT_THROW(quantize(values, two, {.axis = 2}), Error);
  EXPECT_THROW(quantize(values, two, {.axis = -3}), Error);
  EXPECT_THROW(dequantize(values, two, 0), Error);
}

TEST(QuantizeTensor, AcceptsAScalarAndAnEmptyTensor) {
  const std::vector<QParams> one{{0.5f, 0}};
  EXPECT_EQ(quantize(Tensor::scalar(3.0f), one, {}).data<std::uint8_t>()[0], 6);
  EXPECT_EQ(quantize(Tensor(), one, {}).size(), 0);
  EXPECT_EQ(quantize(Tensor::from<float>({1, 0}, {}), one, {.axis = 0}).size(), 0);
}

TEST(Extremes, AreThoseOfTheFiniteValues) {
  const Tensor values = Tensor::from<float>({2, 3}, {1, NAN, -5, kInfinity, 2, -kInfinity});
  EXPECT_EQ(extremes(values, std::nullopt), (std::vector<Range>{{-5, 2}}));
  EXPECT_EQ(extremes(values, 0), (std::vector<Range>{{-5, 1}, {2, 2}}));
  EXPECT_EQ(extremes(values, -1), (std::vector<Range>{{1, 1}, {2, 2}, {-5, -5}}));
}

TEST(Extremes, OfNothingFiniteAreZero) {
  EXPECT_EQ(extremes(Tensor::from<float>({2}, {NAN, kInfinity}), std::nullopt),
            std::vector<Range>(1));
  EXPECT_EQ(extremes(Tensor(), std::nullopt), std::vector<Range>(1));
  EXPECT_EQ(extremes(Tensor::from<float>({3, 0}, {}), 0), std::vector<Range>(3));
  EXPECT_THROW(extremes(Tensor::from<float>({std::int64_t{1} << 40, 0}, {}), 0), Error);
  EXPECT_THROW(extremes(Tensor::scalar(1.0f), 0), Error);
}

}  // namespace
}  // namespace quantlens
