// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/durations.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/profiling/wall_time.h"

namespace quantlens::imports {
namespace {

std::vector<double> many(std::size_t count) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> spread(3, 1);
  std::vector<double> values(count);
  for (double& value : values) value = spread(random);
  return values;
}

Durations gathered(const std::vector<double>& values, Budget& budget) {
  Durations durations;
  for (const double value : values) durations.add(value, budget);
  return durations;
}

TEST(Durations, AreExactWhileTheyAreFew) {
  Budget budget;
  const std::vector<double> values = many(Durations::kExact);
  const Durations durations = gathered(values, budget);
  for (const double q : {0.0, 0.25, 0.5, 0.95, 1.0}) {
    EXPECT_EQ(durations.quantile(q), quantile(values, q));
  }
}

TEST(Durations, AreWithinOnePercentWhenTheyAreMany) {
  Budget budget;
  const std::vector<double> values = many(100000);
  const Durations durations = gathered(values, budget);
  for (const double q : {0.01, 0.25, 0.5, 0.95, 0.99}) {
    EXPECT_NEAR(durations.quantile(q) / quantile(values, q), 1, 0.01) << q;
  }
}

TEST(Durations, OfWholeMicrosecondsUpToAHundredAreExactHoweverMany) {
  Budget budget;
  Durations durations;
  for (int i = 0; i < 10000; ++i) durations.add(1 + i % 99, budget);
  EXPECT_EQ(durations.quantile(0), 1);
  EXPECT_EQ(durations.quantile(0.5), 50);
  EXPECT_EQ(durations.quantile(1), 99);
}

TEST(Durations, MergedAreThoseOfAll) {
  Budget budget;
  for (const std::size_t split : {std::size_t{10}, std::size_t{40}, std::size_t{500}}) {
    const std::vector<double> values = many(1000);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(split);
    Durations merged = gathered({values.begin(), at}, budget);
    merged.merge(gathered({at, values.end()}, budget), budget);
    const Durations all = gathered(values, budget);
    EXPECT_EQ(merged.count(), all.count());
    EXPECT_NEAR(merged.sum(), all.sum(), 1e-9 * all.sum());
    EXPECT_NEAR(merged.quantile(0.5), all.quantile(0.5), 1e-9);
  }
}

TEST(Durations, WithoutBudgetStillCountAll) {
  Budget budget{.bytes = 100};
  const Durations durations = gathered(many(1000), budget);
  EXPECT_EQ(durations.count(), 1000U);
  EXPECT_GT(durations.quantile(0.5), 0);
}

TEST(Durations, GiveTheWallTimeThatAllRunsGive) {
  Budget budget;
  const std::vector<double> values = many(50);
  const WallTime got = wall_of(gathered(values, budget));
  const WallTime expected = wall_time(values);
  EXPECT_EQ(got.runs, expected.runs);
  EXPECT_EQ(got.median_us, expected.median_us);
  EXPECT_EQ(got.median_interval, expected.median_interval);
  EXPECT_EQ(got.p99_us, expected.p99_us);
}

}  // namespace
}  // namespace quantlens::imports
