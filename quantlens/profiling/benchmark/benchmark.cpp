// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/benchmark.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "quantlens/profiling/wall_time.h"

namespace quantlens {
namespace {

using Runs = std::vector<double>;

Runs joined(const std::vector<Runs>& loadings) {
  Runs all;
  for (const Runs& runs : loadings) all.insert(all.end(), runs.begin(), runs.end());
  return all;
}

double per_second(std::uint64_t batch_size, const Runs& runs_us) {
  const double total_us = std::accumulate(runs_us.begin(), runs_us.end(), 0.0);
  if (total_us <= 0) return 0;
  return static_cast<double>(batch_size) * static_cast<double>(runs_us.size()) * 1e6 / total_us;
}

/// The instances' ratios of medians, their geometric mean.
double ratio_apart(const ModelTimes& first, const ModelTimes& second, std::size_t loading) {
  double sum = 0;
  for (std::size_t i = 0; i < first.instances.size(); ++i) {
    sum += std::log(quantile(second.instances[i].loadings[loading], 0.5) /
                    quantile(first.instances[i].loadings[loading], 0.5));
  }
  return std::exp(sum / static_cast<double>(first.instances.size()));
}

double ratio_in_turn(const ModelTimes& first, const ModelTimes& second, std::size_t loading) {
  return round_ratio(first.instances[0].loadings[loading], second.instances[0].loadings[loading]);
}

}  // namespace

BenchmarkResult benchmark_result(const ModelTimes& times) {
  BenchmarkResult result{.model = times.model,
                         .batch_size = times.batch_size,
                         .threads = times.threads,
                         .wall = {},
                         .instances = {}};
  Runs all;
  for (const InstanceTimes& instance : times.instances) {
    const Runs runs = joined(instance.loadings);
    result.instances.push_back({.cores = instance.cores,
                                .wall = wall_time(runs),
                                .samples_per_second = per_second(times.batch_size, runs)});
    result.samples_per_second += result.instances.back().samples_per_second;
    all.insert(all.end(), runs.begin(), runs.end());
  }
  result.wall = wall_time(std::move(all));
  result.latency_ms = result.wall.median_us / 1e3 / static_cast<double>(times.batch_size);
  return result;
}

BenchmarkRatio benchmark_ratio(const ModelTimes& first, const ModelTimes& second, Order order) {
  const std::size_t loadings = first.instances.at(0).loadings.size();
  Runs ratios;
  if (order == Order::in_turn) {
    // What is loaded second lies elsewhere in memory and may be faster: both together are fair.
    for (std::size_t i = 0; i + 1 < loadings; i += 2) {
      ratios.push_back(
          std::sqrt(ratio_in_turn(first, second, i) * ratio_in_turn(first, second, i + 1)));
    }
  } else {
    for (std::size_t i = 0; i < loadings; ++i) ratios.push_back(ratio_apart(first, second, i));
  }
  const Ratio ratio = ratio_of_rounds(ratios);
  return {.batch_size = first.batch_size, .ratio = ratio.value, .interval = ratio.interval};
}

}  // namespace quantlens
