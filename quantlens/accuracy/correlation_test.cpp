// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/correlation.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;

using Numbers = std::vector<double>;

TEST(Ranks, AreSharedByEqualNumbers) {
  EXPECT_THAT(ranks(Numbers{30, 10, 20, 10}), ElementsAre(4, 1.5, 3, 1.5));
  EXPECT_THAT(ranks(Numbers{5, 5, 5}), ElementsAre(2, 2, 2));
  EXPECT_THAT(ranks(Numbers{}), ElementsAre());
}

TEST(Spearman, IsOneForAnyRisingFunction) {
  const Numbers x{-3, 0.5, 2, 7, 100};
  Numbers y;
  for (const double value : x) y.push_back(std::exp(value / 10));
  EXPECT_DOUBLE_EQ(spearman(x, y), 1);
  for (double& value : y) value = -value;
  EXPECT_DOUBLE_EQ(spearman(x, y), -1);
}

// C. Spearman's own kind of example: IQ and hours of television of ten people, rho = -29/165.
TEST(Spearman, OfTenPeopleIsThatOfTheTextbook) {
  const Numbers iq{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const Numbers hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(spearman(iq, hours), -29.0 / 165, 1e-15);
}

TEST(Spearman, OfTiesIsPearsonsOfTheirRanks) {
  // by hand: ranks 1.5 1.5 3 4 and 1 2 3.5 3.5; sums of products of deviations 4.5, of squares 4.5
  // and 4.5
  EXPECT_NEAR(spearman(Numbers{1, 1, 2, 3}, Numbers{0, 5, 9, 9}),
              (1.0 * 1.5 + 1.0 * 0.5 + 0.5 * 1.0 + 1.5 * 1.0) / 4.5, 1e-15);
}

TEST(Spearman, OfAConstantOrOfOneIsZero) {
  EXPECT_EQ(spearman(Numbers{1, 1, 1}, Numbers{1, 2, 3}), 0);
  EXPECT_EQ(spearman(Numbers{4}, Numbers{5}), 0);
  EXPECT_EQ(spearman(Numbers{}, Numbers{}), 0);
}

/// The mean of some of the values.
double mean_of(const Numbers& values, std::span<const std::size_t> kept) {
  double sum = 0;
  for (const std::size_t i : kept) sum += values[i];
  return sum / static_cast<double>(kept.size());
}

// The jackknife of a mean is the textbook's interval: mean +- t s / sqrt(n).
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
        jackknife_interval(count, [&](auto kept) { return mean_of(values, kept); }, {-1e9, 1e9});
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
  const auto [low, high] = jackknife_interval(values.size(),
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
  EXPECT_THAT(jackknife_interval(2, one, {-1, 1}), ElementsAre(-1, 1));
  EXPECT_THAT(jackknife_interval(9, one, {-1, 1}), ElementsAre(1, 1));
  const Numbers values{0, 0, 0, 1};
  const auto [low, high] =
      jackknife_interval(4, [&](auto kept) { return mean_of(values, kept); }, {0, 1});
  EXPECT_EQ(low, 0);
  EXPECT_LT(high, 1.1);
}

}  // namespace
}  // namespace quantlens
