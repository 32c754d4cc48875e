// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/event_cost.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "quantlens/frontend/probe_models.h"
#include "quantlens/profiling/ones_for.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {
namespace {

constexpr std::size_t kLeastNodes = 50;
constexpr std::size_t kMostNodes = 2000;
constexpr std::int64_t kLeastElements = 64;
constexpr std::int64_t kMostElements = 16384;

/// Means of a chain's runs, in microseconds.
struct ChainTimes {
  double bare_us = 0;
  double timed_us = 0;
  double outside_us = 0;  ///< of timed runs, what no node has
};

ChainTimes chain_times(const Model& model, TimedOptions how, const Progress& progress) {
  constexpr int kRuns = 60;
  constexpr int kAtOnce = 10;
  const auto bare = open_timed(model, how);
  how.nodes = true;
  const auto timed = open_timed(model, how);
  const std::size_t plain = bare->add(ones_for(model));
  const std::size_t stamped = timed->add(ones_for(model));
  std::vector<double> bare_us;
  std::vector<double> timed_us;
  std::vector<double> outside_us;
  const auto keep = [&](std::size_t turn, const RunTime& time) {
    const double us = static_cast<double>(time.whole) / 1e3;
    if (turn % 2 == 0) return bare_us.push_back(us);
    const auto inside = std::accumulate(time.nodes.begin(), time.nodes.end(), std::uint64_t{0});
    timed_us.push_back(us);
    outside_us.push_back(static_cast<double>(time.whole - inside) / 1e3);
  };
  std::vector<Turn> turns;
  for (int i = 0; i < kAtOnce; ++i) {
    turns.insert(turns.end(), {{bare.get(), plain}, {timed.get(), stamped}});
  }
  for (int i = 0; i < kRuns; i += kAtOnce) {
    throw_if_stopped(progress);
    run_in_turn(turns, keep);
  }
  return {.bare_us = wall_time(bare_us).mean_us,
          .timed_us = wall_time(timed_us).mean_us,
          .outside_us = wall_time(outside_us).mean_us};
}

}  // namespace

EventCost event_cost(const ChainLike& like, TimedOptions how, const Progress& progress) {
  how.in_turn = true;
  how.stop_requested = [&progress] { return progress.stop_requested(); };
  const std::size_t length = std::clamp(like.nodes, kLeastNodes, kMostNodes);
  const std::int64_t elements = std::clamp(like.elements, kLeastElements, kMostElements);
  const auto times = [&](std::size_t nodes) {
    return chain_times(frontend::chain_model(like.format, nodes, elements), how, progress);
  };
  const ChainTimes all = times(length);
  const ChainTimes one = times(1);
  const auto more = static_cast<double>(length - 1);
  const double whole = ((all.timed_us - all.bare_us) - (one.timed_us - one.bare_us)) / more;
  // A node and its timer each enlarge what the runtime sets up for a run, by the same amount.
  const double outside = std::max(0.0, (all.outside_us - one.outside_us) / more / 2);
  return {.inside_us = std::max(0.0, whole - outside), .outside_us = outside};
}

}  // namespace quantlens
