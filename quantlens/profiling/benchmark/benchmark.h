// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/record/benchmark.h"

namespace quantlens {

/// What one process timed of a model: of each loading its runs, in microseconds.
struct InstanceTimes {
  std::vector<unsigned> cores;  ///< it was bound to; empty: to none
  std::vector<std::vector<double>> loadings;
};

/// What was timed of one model at one batch size. REQUIRES: an instance, and in each a run.
struct ModelTimes {
  std::string model;  ///< path
  std::uint64_t batch_size = 1;
  unsigned threads = 1;
  std::vector<InstanceTimes> instances;
};

/// Latencies over all runs; samples a second are those of all runs over the time of all runs, added
/// up over the instances, which ran at the same time.
BenchmarkResult benchmark_result(const ModelTimes& times);

/// How two models were timed.
enum class Order {
  in_turn,  ///< run by run, two loadings a round: in the second the other model was loaded first
  apart,    ///< first all runs of one, then all of the other, one loading a round
};

/// How much time `second` takes of what `first` takes. REQUIRES: both at one batch size, with as
/// many instances and loadings; in turn: an even number of them, and as many runs, too.
BenchmarkRatio benchmark_ratio(const ModelTimes& first, const ModelTimes& second, Order order);

}  // namespace quantlens
