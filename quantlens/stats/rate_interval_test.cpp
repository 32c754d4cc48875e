// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/rate_interval.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace quantlens {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

auto is_interval(double low, double high) {
  return ElementsAre(DoubleNear(low, 5e-5), DoubleNear(high, 5e-5));
}

// Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17
// (1998) 857-872, table I, method 3.
TEST(RateInterval, EqualsNewcombesExamplesOfWilsonsInterval) {
  EXPECT_THAT(rate_interval(81, 263), is_interval(0.2553, 0.3662));
  EXPECT_THAT(rate_interval(15, 148), is_interval(0.0624, 0.1605));
  EXPECT_THAT(rate_interval(0, 20), is_interval(0, 0.1611));
  EXPECT_THAT(rate_interval(1, 29), is_interval(0.0061, 0.1718));
}

TEST(RateInterval, EndsExactlyWhereNothingOrEverythingIsRight) {
  EXPECT_EQ(rate_interval(0, 7)[0], 0);
  EXPECT_EQ(rate_interval(7, 7)[1], 1);
}

TEST(RateInterval, OfNoSamplesIsEverything) {
  EXPECT_THAT(rate_interval(0, 0), ElementsAre(0, 1));
}

RC_GTEST_PROP(RateInterval, HoldsTheRate, (std::uint32_t a, std::uint32_t b)) {
  const std::uint64_t samples = std::uint64_t{a} + b;
  RC_PRE(samples > 0u);
  const double rate = static_cast<double>(a) / static_cast<double>(samples);
  const auto [low, high] = rate_interval(a, samples);
  RC_ASSERT(0 <= low && low <= rate && rate <= high && high <= 1);
}

// Newcombe, Improved confidence intervals for the difference between binomial proportions based on
// paired data, Statistics in Medicine 17 (1998) 2635-2650, method 10. Worked through by Altman and
// others, Statistics with confidence (2000), table 6.2 (14, 5, 0, 22), and by Fagerland, Lydersen
// and Laake, Recommended tests and confidence intervals for paired binomial proportions,
// Statistics in Medicine 33 (2014) 2850-2875 (1, 1, 7, 12 and 59, 6, 16, 80).
TEST(PairedRateInterval, EqualsPublishedExamplesOfNewcombesMethod10) {
  EXPECT_THAT(paired_rate_interval(14, 5, 0, 22), is_interval(0.0115, 0.2265));
  EXPECT_THAT(paired_rate_interval(1, 1, 7, 12), is_interval(-0.5069, -0.0256));
  EXPECT_THAT(paired_rate_interval(59, 6, 16, 80), is_interval(-0.1186, -0.0046));
}

TEST(PairedRateInterval, OfEqualAnswersStillTellsThatSamplesAreFew) {
  const auto [low, high] = paired_rate_interval(90, 0, 0, 10);
  EXPECT_LT(low, 0);
  EXPECT_GT(high, 0);
  EXPECT_THAT(paired_rate_interval(0, 0, 0, 0), ElementsAre(-1, 1));
}

RC_GTEST_PROP(PairedRateInterval, HoldsTheDifferenceAndTurnsWithIt,
              (std::uint16_t both, std::uint16_t gained, std::uint16_t lost,
               std::uint16_t neither)) {
  const double samples = both + gained + lost + neither;
  RC_PRE(samples > 0);
  const double difference = (static_cast<double>(gained) - static_cast<double>(lost)) / samples;
  const auto [low, high] = paired_rate_interval(both, gained, lost, neither);
  RC_ASSERT(-1 <= low && low <= difference && difference <= high && high <= 1);
  const auto [other_low, other_high] = paired_rate_interval(both, lost, gained, neither);
  RC_ASSERT(std::abs(other_low + high) < 1e-12 && std::abs(other_high + low) < 1e-12);
}

/// The share of simulated data sets whose interval holds the true difference.
double coverage(double both, double gained, double lost, int samples) {
  constexpr int kDataSets = 4000;
  std::mt19937 random(20261121);
  int covered = 0;
  for (int set = 0; set < kDataSets; ++set) {
    std::array<std::uint64_t, 4> count{};
    for (int i = 0; i < samples; ++i) {
      const double u = static_cast<double>(random()) / 4294967296.0;
      ++count[u < both ? 0u : u < both + gained ? 1u : u < both + gained + lost ? 2u : 3u];
    }
    const auto [low, high] = paired_rate_interval(count[0], count[1], count[2], count[3]);
    if (low <= gained - lost && gained - lost <= high) ++covered;
  }
  return static_cast<double>(covered) / kDataSets;
}

// Three standard errors of 4,000 draws at 95 % are one point; Newcombe reports a mean coverage of
// 95.1 %, and more than that where answers seldom differ.
TEST(PairedRateInterval, HoldsTheTruthInNineteenOfTwentySimulatedDataSets) {
  EXPECT_GE(coverage(0.70, 0.02, 0.05, 500), 0.94);
  EXPECT_LE(coverage(0.70, 0.02, 0.05, 500), 0.975);
  EXPECT_GE(coverage(0.60, 0.10, 0.10, 50), 0.94);
  EXPECT_GE(coverage(0.95, 0.00, 0.02, 100), 0.94);
}

}  // namespace
}  // namespace quantlens
