// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/event_cost.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "quantlens/profiling/synthetic.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {
namespace {

/// One chain's times, in microseconds.
struct Chain {
  double bare = 0;     ///< without timers
  double inside = 0;   ///< with timers: sum of its nodes
  double outside = 0;  ///< the rest of that run
};

Chain time_chain(std::size_t length, unsigned threads) {
  constexpr std::int64_t kElements = 1024;
  constexpr int kRuns = 100;
  const Model model = chain_model(length, kElements);
  const auto bare = open_timed(model, {.threads = threads});
  const auto timed = open_timed(model, {.threads = threads, .nodes = true});
  const std::size_t plain = bare->add(ones_for(model));
  const std::size_t stamped = timed->add(ones_for(model));
  std::vector<double> bare_runs;
  std::vector<double> inside;
  std::vector<double> outside;
  for (int i = 0; i < kRuns; ++i) {
    bare_runs.push_back(static_cast<double>(bare->run(plain).whole) / 1e3);
    const RunTime time = timed->run(stamped);
    const std::uint64_t nodes =
        std::accumulate(time.nodes.begin(), time.nodes.end(), std::uint64_t{0});
    inside.push_back(static_cast<double>(nodes) / 1e3);
    outside.push_back(static_cast<double>(time.whole - nodes) / 1e3);
  }
  return {wall_time(bare_runs).mean_us, wall_time(inside).mean_us, wall_time(outside).mean_us};
}

}  // namespace

EventCost event_cost(unsigned threads) {
  constexpr std::size_t kShort = 50;
  constexpr std::size_t kLong = 450;
  constexpr double kMore = kLong - kShort;
  const Chain few = time_chain(kShort, threads);
  const Chain many = time_chain(kLong, threads);
  const double whole =
      (many.inside + many.outside - many.bare) - (few.inside + few.outside - few.bare);
  // A node and its timer each enlarge what the runtime sets up for a run, by the same amount.
  const double outside = std::max(0.0, (many.outside - few.outside) / kMore / 2);
  return {.inside_us = std::max(0.0, whole / kMore - outside), .outside_us = outside};
}

}  // namespace quantlens
