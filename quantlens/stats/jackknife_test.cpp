// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/jackknife.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;

using Numbers = std::vector<double>;

/// The mean of some of the values.
double mean_of(const Numbers& values, std::span<const std::size_t> kept) {
  double sum = 0;
  for (const std::size_t i : kept) sum += values[i];
  return sum / static_cast<double>(kept.size());
}

/// Of a figure of `count` items.
std::array<double, 2> interval_of(std::size_t count, const ItemsFigure& figure,
                                  std::array<double, 2> bounds) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return jackknife_interval(figure(all), without_each(count, figure), bounds);
}

/// The probability between -t and t: the density, summed by Simpson's rule.
double probability_within(double t, double freedom) {
  constexpr int kSteps = 20000;
  const double scale = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * std::acos(-1.0));
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = t * i / kSteps;
    const int weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(1 + x * x / freedom, -(freedom + 1) / 2);
  }
  return 2 * scale * sum * t / kSteps / 3;
}

TEST(StudentT, EqualsTablesAndTheSumOfTheDensity) {
  EXPECT_NEAR(student_t(1), 12.706205, 1e-6);
  EXPECT_NEAR(student_t(2), 4.302653, 1e-6);
  EXPECT_NEAR(student_t(31), 2.039513, 1e-6);
  for (const double freedom : {1.0, 2.2, 5.0, 7.75, 31.0, 199.0}) {
    EXPECT_NEAR(probability_within(student_t(freedom), freedom), 0.95, 1e-8) << freedom;
    EXPECT_NEAR(chance_of(-1.5, freedom), 1 - probability_within(1.5, freedom), 1e-8) << freedom;
  }
}

TEST(JackknifeVariance, IsKnownLessWellWhereFewGroupsMakeIt) {
  Numbers without(32);
  for (std::size_t i = 0; i < without.size(); ++i) without[i] = i % 2 == 0 ? 1 : -1;
  EXPECT_EQ(jackknife_variance(without).freedom, 31);  // kurtosis 1, the least
  EXPECT_DOUBLE_EQ(jackknife_variance(without).value, 31);

  Numbers alone(32);
  alone[5] = 1;
  const double p = 1.0 / 32;  // Bernoulli's kurtosis
  const double kurtosis = (1 - 3 * p * (1 - p)) / (p * (1 - p));
  EXPECT_NEAR(jackknife_variance(alone).freedom, 2 * 32 / (kurtosis - 1), 1e-9);
  EXPECT_LT(jackknife_variance(alone).freedom, 2.3);

  EXPECT_EQ(jackknife_variance(Numbers(32, 7.0)).freedom, 31);
  EXPECT_EQ(jackknife_variance(Numbers(32, 7.0)).value, 0);
  EXPECT_EQ(jackknife_variance(Numbers{0, 0, 1}).freedom, 2);
}

// The jackknife of a mean of normal values is the textbook's interval: mean +- t s / sqrt(n).
TEST(JackknifeInterval, OfAMeanIsStudents) {
  struct Case {
    std::size_t count;
    double t;
  };
  std::mt19937 random(1);
  std::normal_distribution<double> normal(1, 2);
  for (const auto& [count, t] :
       {Case{6, 2.570582}, Case{10, 2.262157}, Case{31, 2.042272}, Case{200, 1.971957}}) {
    Numbers values(count);
    for (double& value : values) value = normal(random);
    const auto n = static_cast<double>(count);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double half = t * std::sqrt(squares / (n - 1) / n);
    const auto [low, high] =
        interval_of(count, [&](auto kept) { return mean_of(values, kept); }, {-1e9, 1e9});
    EXPECT_NEAR(low, mean - half, 0.002 * half) << count;
    EXPECT_NEAR(high, mean + half, 0.002 * half) << count;
  }
}

TEST(JackknifeInterval, OfManyItemsLeavesOutGroups) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  Numbers values(5000);
  for (double& value : values) value = normal(random);
  std::size_t calls = 0;
  const auto [low, high] = interval_of(values.size(),
                                       [&](auto kept) {
                                         ++calls;
                                         return mean_of(values, kept);
                                       },
                                       {-1, 1});
  EXPECT_EQ(calls, 201u);
  const double half = 1.96 / std::sqrt(5000.0);
  EXPECT_NEAR((high - low) / 2, half, 0.2 * half);  // of 200 groups: to 5 %, and this one to 20
}

TEST(JackknifeInterval, StaysWithinItsBoundsAndKnowsNothingOfTwo) {
  const auto one = [](auto) { return 1.0; };
  EXPECT_THAT(interval_of(2, one, {-1, 1}), ElementsAre(-1, 1));
  EXPECT_THAT(interval_of(9, one, {-1, 1}), ElementsAre(1, 1));
  const Numbers values{0, 0, 0, 1};
  const auto [low, high] = interval_of(4, [&](auto kept) { return mean_of(values, kept); }, {0, 1});
  EXPECT_EQ(low, 0);
  EXPECT_LT(high, 1.1);
}

TEST(SampleBlocks, AreByTheIndexOfTheSample) {
  SampleBlocks blocks;
  for (const std::uint64_t sample : {1, 33, 65, 0, 5}) blocks.count(sample);
  EXPECT_EQ(blocks.samples(), 5u);
  const auto itself = [](std::size_t block) { return static_cast<double>(block); };
  EXPECT_THAT(blocks.without_each(itself), ElementsAre(0, 1, 5));
}

}  // namespace
}  // namespace quantlens
