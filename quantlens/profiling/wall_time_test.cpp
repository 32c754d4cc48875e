// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/wall_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

constexpr int kDataSets = 2000;

/// Linear interpolation of the empirical quantile function, written as a search.
double plain_quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double last = static_cast<double>(values.size()) - 1;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double left = static_cast<double>(i) / last;
    const double right = static_cast<double>(i + 1) / last;
    if (q <= right) return std::lerp(values[i], values[i + 1], (q - left) / (right - left));
  }
  return values.back();
}

TEST(Quantile, AgreesWithItsPlainDefinition) {
  std::mt19937 random(3);
  std::exponential_distribution<double> values(1);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<double> some(count);
    for (double& value : some) value = values(random);
    for (const double q : {0.0, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0}) {
      EXPECT_NEAR(quantile(some, q), plain_quantile(some, q), 1e-12) << count << " " << q;
    }
  }
}

TEST(Quantile, OfNoneIsZeroAndOfOneIsItself) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({7}, 0), 7);
  EXPECT_EQ(quantile({7}, 1), 7);
}

TEST(MiddleHalf, LeavesOutAQuarterAtEitherEndAndAtLeastOneIn) {
  const std::vector<double> eight = {8, 1, 7, 2, 6, 3, 5, 4};
  EXPECT_EQ(middle_half(eight), (std::vector<std::size_t>{4, 5, 6, 7}));
  EXPECT_EQ(middle_half(std::vector<double>{1}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(middle_half(std::vector<double>{2, 1, 3}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(middle_half({}).empty());
  EXPECT_EQ(middle_half(std::vector<double>(5, 1.0)).size(), 3u) << "equal ones count once each";
}

TEST(WallTimes, TheMeanIsOfTheMiddleHalf) {
  const WallTime wall = wall_time({1000, 10, 12, 0.1, 11, 13, 14, 1});
  EXPECT_EQ(wall.runs, 8u);
  EXPECT_DOUBLE_EQ(wall.mean_us, (10 + 11 + 12 + 13) / 4.0);
  EXPECT_DOUBLE_EQ(wall.median_us, 11.5);
}

TEST(WallTimes, FewRunsHaveTheWholeRangeAndNoneHasNothing) {
  EXPECT_EQ(wall_time({5, 1, 9}).median_interval, (std::array<double, 2>{1, 9}));
  const WallTime none = wall_time({});
  EXPECT_EQ(none.runs, 0u);
  EXPECT_EQ(none.mean_us, 0);
  EXPECT_EQ(none.median_interval, (std::array<double, 2>{0, 0}));
}

TEST(WallTimes, PercentilesAreInOrderAndInTheInterval) {
  std::mt19937 random(4);
  std::lognormal_distribution<double> values(3, 1);
  for (std::size_t count = 1; count < 100; ++count) {
    std::vector<double> runs(count);
    for (double& run : runs) run = values(random);
    const WallTime wall = wall_time(runs);
    EXPECT_LE(wall.median_interval[0], wall.median_us);
    EXPECT_GE(wall.median_interval[1], wall.median_us);
    EXPECT_LE(wall.median_us, wall.p90_us);
    EXPECT_LE(wall.p90_us, wall.p95_us);
    EXPECT_LE(wall.p95_us, wall.p99_us);
  }
}

/// Share of data sets of `count` times, as skewed as run times are, whose interval holds e^3.
double median_coverage(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::lognormal_distribution<double> values(3, 0.5);
  int inside = 0;
  for (int i = 0; i < kDataSets; ++i) {
    std::vector<double> runs(count);
    for (double& run : runs) run = values(random);
    const auto [low, high] = wall_time(runs).median_interval;
    inside += low <= std::exp(3.0) && std::exp(3.0) <= high ? 1 : 0;
  }
  return static_cast<double>(inside) / kDataSets;
}

TEST(WallTimes, TheMediansIntervalHoldsItInNineteenOfTwenty) {
  for (const std::size_t count : {6u, 8u, 16u, 21u, 60u, 200u, 500u}) {
    EXPECT_GE(median_coverage(count), 0.93) << count;
    EXPECT_LE(median_coverage(count), 0.98) << count << ": steps of few runs are coarse";
  }
  for (const std::size_t count : {60u, 100u, 200u, 500u}) {
    EXPECT_LE(median_coverage(count), 0.97) << count;
  }
}

TEST(RoundRatio, IsTheMedianOfNeighboursRatios) {
  const std::vector<double> first = {10, 100, 10, 10};
  const std::vector<double> second = {5, 50, 6, 400};
  EXPECT_DOUBLE_EQ(round_ratio(first, second), 0.55);
}

TEST(RatioOfRounds, IsTheGeometricMean) {
  const std::vector<double> rounds = {0.5, 2, 1};
  const Ratio ratio = ratio_of_rounds(rounds);
  EXPECT_NEAR(ratio.value, 1, 1e-12);
  EXPECT_NEAR(ratio.interval[0] * ratio.interval[1], 1, 1e-9) << "as far to either side";
  EXPECT_LT(ratio.interval[0], 0.5);
}

TEST(RatioOfRounds, BelowThreeRoundsNothingIsKnown) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::array<double, 2> all = {0, kInfinity};
  EXPECT_EQ(ratio_of_rounds({}).interval, all);
  EXPECT_EQ(ratio_of_rounds({}).value, 1);
  const std::vector<double> two = {0.5, 0.5};
  EXPECT_EQ(ratio_of_rounds(two).interval, all);
  EXPECT_DOUBLE_EQ(ratio_of_rounds(two).value, 0.5);
}

TEST(RatioOfRounds, TheIntervalHoldsTheRatioInNineteenOfTwenty) {
  for (const std::size_t count : {3u, 4u, 5u, 8u}) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::lognormal_distribution<double> values(std::log(0.7), 0.05);
    int inside = 0;
    for (int i = 0; i < kDataSets; ++i) {
      std::vector<double> rounds(count);
      for (double& round : rounds) round = values(random);
      const auto [low, high] = ratio_of_rounds(rounds).interval;
      inside += low <= 0.7 && 0.7 <= high ? 1 : 0;
    }
    EXPECT_GE(static_cast<double>(inside) / kDataSets, 0.93) << count;
    EXPECT_LE(static_cast<double>(inside) / kDataSets, 0.97) << count;
  }
}

}  // namespace
}  // namespace quantlens
