// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/search_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

const Scheme kUnsignedScheme{.dtype = DType::uint8, .symmetric = false};
const Scheme kSymmetric{.dtype = DType::int8, .symmetric = true};

FloatHistogram histogram_of(const std::vector<float>& values) {
  FloatHistogram histogram;
  histogram.add(values);
  return histogram;
}

Range extremes_of(const std::vector<float>& values) {
  const auto [min, max] = std::ranges::minmax(values);
  return {min, max};
}

Distribution distribution_of(const std::vector<float>& values) {
  return {histogram_of(values), extremes_of(values)};
}

/// Normal numbers, of which one in a hundred is twenty times as large.
std::vector<float> with_outliers(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = normal(random) * (i % 100 == 0 ? 20.F : 1.F);
  return values;
}

double error_of(const std::vector<float>& values, const Range& range, const Scheme& scheme) {
  const QParams params = choose_params(range, scheme);
  const CodeRange codes = code_range(scheme);
  double sum = 0;
  for (const float value : values) {
    const std::int64_t code =
        std::clamp<std::int64_t>(quantize(value, params, scheme.dtype), codes.min, codes.max);
    const double error = value - dequantize(static_cast<std::int32_t>(code), params);
    sum += error * error;
  }
  return sum / static_cast<double>(values.size());
}

TEST(Distribution, ExpectsTheErrorThatQuantizingMakes) {
  std::vector<float> values = with_outliers(200'000);
  values.resize(250'000, 0.F);
  const Distribution distribution = distribution_of(values);
  for (const Scheme& scheme : {kUnsignedScheme, kSymmetric}) {
    for (const float reach : {0.3F, 3.F, 20.F, 90.F}) {
      const Range range{-reach, reach};
      const double wanted = error_of(values, range, scheme);
      const double expected = expected_error(distribution, range, scheme);
      EXPECT_NEAR(expected, wanted, 0.02 * wanted) << reach;
    }
  }
}

TEST(PercentileRange, IsThatOfTheSortedElements) {
  std::vector<float> values = with_outliers(100'000);
  const Distribution distribution = distribution_of(values);
  std::ranges::sort(values);
  const Range range = percentile_range(distribution, 0.999, false);
  EXPECT_NEAR(range.min, values[50], std::abs(values[50]) / 100);
  EXPECT_NEAR(range.max, values[99'949], std::abs(values[99'949]) / 100);
  EXPECT_EQ(percentile_range(distribution, 1, false), extremes_of(values));
  std::ranges::sort(values, {}, [](float value) { return std::abs(value); });
  const Range both = percentile_range(distribution, 0.999, true);
  EXPECT_NEAR(both.max, std::abs(values[99'899]), std::abs(values[99'899]) / 100);
  EXPECT_EQ(both.min, -both.max);
}

TEST(LeastErrorRange, IsBetterThanAnyOfAFineGrid) {
  const std::vector<float> values = with_outliers(50'000);
  const Distribution distribution = distribution_of(values);
  const double found =
      error_of(values, least_error_range(distribution, kUnsignedScheme), kUnsignedScheme);
  const Range whole = extremes_of(values);
  double best = error_of(values, whole, kUnsignedScheme);
  EXPECT_LT(found, best);
  for (int low = 1; low <= 40; ++low) {
    for (int high = 1; high <= 40; ++high) {
      const Range range{whole.min * static_cast<float>(low) / 40,
                        whole.max * static_cast<float>(high) / 40};
      best = std::min(best, error_of(values, range, kUnsignedScheme));
    }
  }
  EXPECT_LT(found, 1.02 * best);
}

TEST(LeastErrorRange, KeepsAllOfEvenlySpreadValues) {
  std::vector<float> values;
  for (int i = 0; i <= 10'000; ++i) values.push_back(static_cast<float>(i) / 5000 - 0.5F);
  const Range range = least_error_range(distribution_of(values), kUnsignedScheme);
  EXPECT_NEAR(range.min, -0.5, 0.01);
  EXPECT_NEAR(range.max, 1.5, 0.01);
}

TEST(EntropyRange, CutsTheTailAndKeepsWhatIsEvenlySpread) {
  const std::vector<float> values = with_outliers(100'000);
  const Range range = entropy_range(distribution_of(values), kSymmetric);
  EXPECT_LT(range.max, 0.8F * extremes_of(values).max);
  EXPECT_GT(range.max, 2.F);
  std::vector<float> even;
  for (int i = -10'000; i <= 10'000; ++i) even.push_back(static_cast<float>(i));
  EXPECT_GT(entropy_range(distribution_of(even), kSymmetric).max, 9'000);
}

/// The divergence of S. Migacz' slides: of 2,048 equal bins over the magnitudes the first `kept`,
/// what is beyond added to the last of them, against the same as 256 levels.
double divergence_by_the_book(const std::vector<double>& bins, std::size_t kept) {
  constexpr std::size_t kLevels = 256;
  std::vector<double> p(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<double> q(kept);
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t begin = level * kept / kLevels;
    const std::size_t end = (level + 1) * kept / kLevels;
    double sum = 0;
    double filled = 0;
    for (std::size_t b = begin; b < end; ++b) {
      sum += p[b];
      filled += p[b] > 0 ? 1 : 0;
    }
    for (std::size_t b = begin; b < end; ++b) q[b] = p[b] > 0 ? sum / filled : 0;
  }
  for (std::size_t b = kept; b < bins.size(); ++b) p[kept - 1] += bins[b];
  const double all_p = std::accumulate(p.begin(), p.end(), 0.0);
  const double all_q = std::accumulate(q.begin(), q.end(), 0.0);
  double divergence = 0;
  for (std::size_t b = 0; b < kept; ++b) {
    if (p[b] > 0) divergence += p[b] / all_p * std::log(p[b] / all_p / (q[b] / all_q));
  }
  return divergence;  // infinite where the last bin was empty
}

// Around the least divergence many thresholds are as good, so it is the divergence that must agree.
TEST(EntropyRange, CutsWhereTheBookFindsLittleDivergence) {
  std::mt19937 random(3);
  std::exponential_distribution<float> exponential;
  std::normal_distribution<float> normal;
  std::vector<float> tail(400'000), bell(400'000), clipped(400'000), outliers(400'000);
  for (float& value : tail) value = exponential(random);
  for (float& value : bell) value = std::abs(normal(random));
  for (float& value : clipped) value = std::clamp(3 * normal(random), 0.F, 6.F);
  for (float& value : outliers) value = std::abs(normal(random)) * (random() % 5000 == 0 ? 20 : 1);
  for (const auto& values : {tail, bell, clipped, outliers}) {
    constexpr std::size_t kBins = 2048;
    const double max = extremes_of(values).max;
    std::vector<double> bins(kBins);
    for (const float value : values) {
      if (value > 0) ++bins[std::min(kBins - 1, static_cast<std::size_t>(value / max * kBins))];
    }
    const auto least_in = [&](std::size_t from, std::size_t to) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t kept = from; kept <= to; ++kept)
        least = std::min(least, divergence_by_the_book(bins, kept));
      return least;
    };
    const double best = least_in(256, kBins);
    const auto found = static_cast<std::size_t>(
        std::lround(entropy_range(distribution_of(values), kUnsignedScheme).max / max * kBins));
    EXPECT_LT(least_in(found - 16, std::min(found + 16, kBins)), 1.2 * best + 1e-4) << found;
  }
}

TEST(SearchedRanges, AreThoseOfTheOthersWhereThereAreMasks) {
  std::vector<float> values = with_outliers(10'000);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -3.4e38F;
  const Distribution distribution = distribution_of(values);
  for (const Range& range : {least_error_range(distribution, kUnsignedScheme),
                             entropy_range(distribution, kUnsignedScheme),
                             percentile_range(distribution, 0.99999, false)}) {
    EXPECT_GT(range.min, -100);
    EXPECT_LT(range.min, -1);
    EXPECT_LT(range.max, 100);
    EXPECT_GT(range.max, 1);
  }
}

TEST(SearchedRanges, OfValuesOnOneSideOfZeroReachFromZero) {
  std::vector<float> above = with_outliers(10'000);
  for (float& value : above) value = 4.6F + std::abs(value) / 100;
  std::vector<float> below = above;
  for (float& value : below) value = -value;
  for (const Scheme& scheme : {kUnsignedScheme, kSymmetric}) {
    for (const std::vector<float>& values : {above, below}) {
      const Distribution distribution = distribution_of(values);
      const Range best = least_error_range(distribution, scheme);
      const double plain = error_of(values, extremes_of(values), scheme);
      EXPECT_LE(error_of(values, best, scheme), plain * 1.1);
      const Range divergent = entropy_range(distribution, scheme);
      EXPECT_TRUE(divergent.min < divergent.max && divergent.min <= 0 && divergent.max >= 0);
    }
  }
}

}  // namespace
}  // namespace quantlens
