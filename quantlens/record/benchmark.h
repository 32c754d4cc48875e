// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/profile.h"

namespace quantlens {

/// One process that ran a model.
struct BenchmarkInstance {
  std::vector<unsigned> cores;  ///< it was bound to; empty: to none
  WallTime wall;                ///< of one run, which takes a whole batch
  double samples_per_second = 0;
};
BOOST_DESCRIBE_STRUCT(BenchmarkInstance, (), (cores, wall, samples_per_second))

/// One model at one batch size.
struct BenchmarkResult {
  std::string model;  ///< path
  std::uint64_t batch_size = 1;
  unsigned threads = 1;                      ///< of each instance
  WallTime wall;                             ///< of all instances' runs together
  double latency_ms = 0;                     ///< a sample: median over the batch size
  double samples_per_second = 0;             ///< of all instances together
  std::vector<BenchmarkInstance> instances;  ///< one at least
};
BOOST_DESCRIBE_STRUCT(BenchmarkResult, (),
                      (model, batch_size, threads, wall, latency_ms, samples_per_second, instances))

/// Two models at one batch size, their runs interleaved.
struct BenchmarkRatio {
  std::uint64_t batch_size = 1;
  double ratio = 0;                  ///< second over first, of one run's time: below 1 it is faster
  std::array<double, 2> interval{};  ///< 95 %
};
BOOST_DESCRIBE_STRUCT(BenchmarkRatio, (), (batch_size, ratio, interval))

struct Benchmark {
  std::vector<BenchmarkResult> results;  ///< by batch size, then by model
  std::vector<BenchmarkRatio> ratios;    ///< of two models, one a batch size
};
BOOST_DESCRIBE_STRUCT(Benchmark, (), (results, ratios))

}  // namespace quantlens
