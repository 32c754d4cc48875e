// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/least_error.h"

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

Tensor normal_tensor(Shape shape, float mean, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
  for (float& value : values) value = normal(random);
  return Tensor::from<float>(std::move(shape), std::move(values));
}

/// What quantizing and dequantizing does, by the functions that write the file.
double error_of(const Tensor& values, const std::vector<QParams>& params, const Scheme& scheme) {
  const Tensor again = dequantize(quantize(values, params, scheme), params, scheme.axis);
  double sum = 0;
  for (std::size_t i = 0; i < values.data<float>().size(); ++i) {
    sum += std::pow(double{values.data<float>()[i]} - again.data<float>()[i], 2);
  }
  return sum;
}

std::vector<QParams> widest(const Tensor& values, const Scheme& scheme) {
  std::vector<QParams> params;
  for (const Range& range : extremes(values, scheme.axis)) {
    params.push_back(choose_params(range, scheme));
  }
  return params;
}

/// The least error of all pairs of ends on a grid.
double least_of_grid(const Tensor& values, const Scheme& scheme) {
  const Range range = extremes(values, {})[0];
  double least = error_of(values, widest(values, scheme), scheme);
  for (int low = 40; low <= 100; low += 2) {
    for (int high = scheme.symmetric ? low : 40; high <= (scheme.symmetric ? low : 100);
         high += 2) {
      const Range narrow{.min = range.min * static_cast<float>(low) / 100,
                         .max = range.max * static_cast<float>(high) / 100};
      least = std::min(least, error_of(values, {choose_params(narrow, scheme)}, scheme));
    }
  }
  return least;
}

class LeastError : public testing::TestWithParam<Scheme> {};

TEST_P(LeastError, IsThatOfAllPairsOfEndsWithinFewPercent) {
  for (const float mean : {0.0F, 0.7F, -3.0F}) {
    const Tensor values = normal_tensor({60, 50}, mean, 7);
    const FittedParams fitted = least_error_params(values, GetParam());
    const double error = error_of(values, fitted.params, GetParam());
    EXPECT_LE(error, least_of_grid(values, GetParam()) * 1.03) << mean;
    EXPECT_NEAR(fitted.error, error, error * 1e-3);
    const double full = error_of(values, widest(values, GetParam()), GetParam());
    EXPECT_NEAR(fitted.full_error, full, full * 1e-3);
    EXPECT_LE(error, full);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, LeastError,
                         testing::Values(Scheme{.dtype = DType::int8, .symmetric = true},
                                         Scheme{.dtype = DType::uint8, .symmetric = false},
                                         Scheme{.dtype = DType::uint8, .symmetric = true},
                                         Scheme{.dtype = DType::int4, .symmetric = true, .bits = 4},
                                         Scheme{
                                             .dtype = DType::uint4, .symmetric = false, .bits = 4}),
                         [](const auto& param) {
                           return std::string(name(param.param.dtype)) +
                                  (param.param.symmetric ? "_sym" : "_asym");
                         });

TEST(LeastErrorParams, FourBitsOfANormalDistributionLoseAThirdLess) {
  const Tensor values = normal_tensor({10000}, 0, 3);
  const Scheme scheme{.dtype = DType::int4, .symmetric = true, .bits = 4};
  EXPECT_LT(error_of(values, least_error_params(values, scheme).params, scheme),
            error_of(values, widest(values, scheme), scheme) * 0.67);
}

TEST(LeastErrorParams, EveryChannelIsSearchedByItself) {
  const Tensor values = normal_tensor({6, 4, 5}, 0, 11);
  for (int axis = 0; axis < 3; ++axis) {
    const Scheme scheme{.dtype = DType::int4, .symmetric = true, .axis = axis, .bits = 4};
    const std::vector<QParams> params = least_error_params(values, scheme).params;
    const std::size_t channels = static_cast<std::size_t>(values.shape()[axis]);
    ASSERT_EQ(params.size(), channels);
    const std::size_t inner = axis == 0 ? 20 : axis == 1 ? 5 : 1;
    for (std::size_t c = 0; c < channels; ++c) {
      std::vector<float> own;
      for (std::size_t i = 0; i < 120; ++i) {
        if (i / inner % channels == c) own.push_back(values.data<float>()[i]);
      }
      const auto count = static_cast<std::int64_t>(own.size());
      const Scheme whole{.dtype = DType::int4, .symmetric = true, .bits = 4};
      EXPECT_EQ(params[c],
                least_error_params(Tensor::from<float>({count}, std::move(own)), whole).params[0]);
    }
  }
}

TEST(LeastErrorParams, OfZerosAndOfNothingAreTheUsualOnes) {
  const Scheme scheme{.dtype = DType::int8, .symmetric = true};
  EXPECT_EQ(least_error_params(Tensor::from<float>({3}, {0, 0, 0}), scheme).params,
            (std::vector{QParams()}));
  EXPECT_EQ(least_error_params(Tensor::from<float>({0}, {}), scheme).params,
            (std::vector{QParams()}));
  EXPECT_THROW(least_error_params(Tensor::from<float>({1}, {1}), {.dtype = DType::int8, .axis = 1}),
               Error);
}

TEST(LeastErrorParams, AReducedRangeIsNotNarrowed) {
  const Tensor values = normal_tensor({1000}, 0, 5);
  const Scheme scheme{.dtype = DType::int8, .symmetric = true, .bits = 7};
  EXPECT_EQ(least_error_params(values, scheme).params, widest(values, scheme));
}

}  // namespace
}  // namespace quantlens
