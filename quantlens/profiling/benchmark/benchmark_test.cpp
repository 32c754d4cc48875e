// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/benchmark.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/profiling/benchmark/rounds.h"

namespace quantlens {
namespace {

using Loadings = std::vector<std::vector<double>>;

ModelTimes times_of(std::vector<Loadings> instances, std::uint64_t batch_size = 1) {
  ModelTimes times{.model = "m.onnx", .batch_size = batch_size, .threads = 1, .instances = {}};
  for (Loadings& loadings : instances)
    times.instances.push_back({.cores = {}, .loadings = loadings});
  return times;
}

TEST(BenchmarkResult, CountsSamplesOverTheTimeOfAllRuns) {
  const BenchmarkResult result = benchmark_result(times_of({{{1000, 3000}, {2000, 2000}}}, 4));
  EXPECT_EQ(result.wall.runs, 4U);
  EXPECT_DOUBLE_EQ(result.samples_per_second, 4 * 4 / 8e-3);
  EXPECT_DOUBLE_EQ(result.latency_ms, 0.5);
}

TEST(BenchmarkResult, AddsUpInstances) {
  const BenchmarkResult result = benchmark_result(times_of({{{1000, 1000}}, {{2000}}}));
  ASSERT_EQ(result.instances.size(), 2U);
  EXPECT_DOUBLE_EQ(result.instances[0].samples_per_second, 1000);
  EXPECT_DOUBLE_EQ(result.instances[1].samples_per_second, 500);
  EXPECT_DOUBLE_EQ(result.samples_per_second, 1500);
  EXPECT_EQ(result.wall.runs, 3U);
}

TEST(BenchmarkRatio, IsExactWhereThereIsNoNoise) {
  const ModelTimes first = times_of({Loadings(10, std::vector<double>(8, 100.0))});
  const ModelTimes second = times_of({Loadings(10, std::vector<double>(8, 62.0))});
  for (const Order order : {Order::in_turn, Order::apart}) {
    const BenchmarkRatio ratio = benchmark_ratio(first, second, order);
    EXPECT_NEAR(ratio.ratio, 0.62, 1e-12);
    EXPECT_NEAR(ratio.interval[0], 0.62, 1e-9);
    EXPECT_NEAR(ratio.interval[1], 0.62, 1e-9);
  }
}

TEST(BenchmarkRatio, IsNotMisledByWhichModelRanBefore) {
  // Whatever runs after its own kind is 20 % faster; both models are equal.
  std::vector<double> first;
  std::vector<double> second;
  int before = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const int begins = is_swapped(i) ? 2 : 1;
    (begins == 1 ? first : second).push_back(before == begins ? 80 : 100);
    before = 3 - begins;
    (begins == 1 ? second : first).push_back(100);
  }
  const ModelTimes one = times_of({Loadings(6, first)});
  EXPECT_NEAR(benchmark_ratio(one, times_of({Loadings(6, second)}), Order::in_turn).ratio, 1, 1e-9);
}

TEST(BenchmarkRatio, IsNotMisledByWhichModelWasLoadedFirst) {
  const ModelTimes first = times_of({{{100, 100}, {95, 95}, {100, 100}, {95, 95}, {100}, {95}}});
  const ModelTimes second = times_of({{{95, 95}, {100, 100}, {95, 95}, {100, 100}, {95}, {100}}});
  const BenchmarkRatio ratio = benchmark_ratio(first, second, Order::in_turn);
  EXPECT_NEAR(ratio.ratio, 1, 1e-12);
  EXPECT_NEAR(ratio.interval[1], 1, 1e-9);
}

TEST(BenchmarkRatio, OfNoisyRoundsMostlyHoldsTheTruth) {
  constexpr int kTrials = 400;
  std::mt19937_64 random(7);
  std::normal_distribution<double> of_loading(0, 0.02);
  std::lognormal_distribution<double> of_run(0, 0.1);
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Loadings first;
    Loadings second;
    for (int loading = 0; loading < 20; ++loading) {
      const double a = 100 * std::exp(of_loading(random));
      const double b = 70 * std::exp(of_loading(random));
      first.emplace_back();
      second.emplace_back();
      for (int run = 0; run < 50; ++run) {
        first.back().push_back(a * of_run(random));
        second.back().push_back(b * of_run(random));
      }
    }
    const auto [low, high] =
        benchmark_ratio(times_of({first}), times_of({second}), Order::in_turn).interval;
    if (low <= 0.7 && 0.7 <= high) ++held;
  }
  EXPECT_GT(held, kTrials * 0.95 - 3 * std::sqrt(kTrials * 0.95 * 0.05));
}

TEST(BenchmarkRatio, KnowsNoIntervalOfTwoRounds) {
  const ModelTimes times = times_of({Loadings(4, {1, 1})});
  EXPECT_TRUE(std::isinf(benchmark_ratio(times, times, Order::in_turn).interval[1]));
}

TEST(BenchmarkRatio, OfInstancesIsTheMeanOfTheirs) {
  const ModelTimes first = times_of({Loadings(3, {100}), Loadings(3, {100})});
  const ModelTimes second = times_of({Loadings(3, {200}), Loadings(3, {50})});
  EXPECT_NEAR(benchmark_ratio(first, second, Order::apart).ratio, 1, 1e-12);
}

}  // namespace
}  // namespace quantlens
