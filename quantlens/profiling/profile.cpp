// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <list>
#include <utility>

#include "quantlens/profiling/assemble.h"
#include "quantlens/profiling/event_cost.h"
#include "quantlens/profiling/machine.h"
#include "quantlens/profiling/sampler.h"

namespace quantlens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLeastRounds = 4;  // even: each order of loading as often as the other
constexpr std::size_t kMostRounds = 8;
constexpr std::size_t kLeastRuns = 20;                     // of a round
constexpr double kRoundSeconds = 0.4;                      // of each model, at least
constexpr double kMostLoadingSeconds = 8;                  // then no model is loaded anew
constexpr std::size_t kMostTimes = std::size_t{1} << 25U;  // that are kept of a model: 128 MB
constexpr double kStable = 0.01;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// With how many threads models run, and where.
TimedOptions place_of(const ProfileOptions& options) {
  return {.threads = options.threads, .workers = options.workers};
}

/// Rounds over all models.
class Rounds {
 public:
  Rounds(std::span<const ToProfile> models, const ProfileOptions& options, Progress& progress)
      : options_(options), progress_(progress) {
    for (const auto& [model, batches] : models) {
      samplers_.emplace_back(model, batches, place_of(options), progress);
    }
  }

  void run() {
    const std::size_t most = options_.iterations ? kLeastRounds : kMostRounds;
    progress_.begin(options_.step, most);
    for (std::size_t round = 0; round < most && !is_full(); ++round) {
      open(round);
      run_round(round);
      progress_.advance(1);
      const bool is_even = round % 2 == 1;
      if (!options_.iterations && is_even && round + 1 >= kLeastRounds && is_stable()) break;
    }
    progress_.end();
  }

  const std::list<Sampler>& samplers() const { return samplers_; }
  const std::vector<double>& ratios() const { return ratios_; }

 private:
  void open(std::size_t round) {
    if (loading_seconds_ > kMostLoadingSeconds) return;
    const Clock::time_point begin = Clock::now();
    if (round % 2 == 0) {
      for (Sampler& sampler : samplers_) sampler.open(options_.warm_up);
    } else {
      for (auto it = samplers_.rbegin(); it != samplers_.rend(); ++it) it->open(options_.warm_up);
    }
    loading_seconds_ += seconds_since(begin);
  }

  void run_round(std::size_t round) {
    const std::size_t begin = samplers_.front().samples().wall_us.size();
    const Clock::time_point start = Clock::now();
    std::vector<Sampler*> samplers;
    for (Sampler& sampler : samplers_) samplers.push_back(&sampler);
    std::size_t at_once = 1;
    for (std::size_t run = 0; !is_done(round, run, start) && !is_full();) {
      throw_if_stopped(progress_);
      const std::size_t count = std::min(at_once, runs_left(round, run));
      const Clock::time_point before = Clock::now();
      take_samples(samplers, run, count);
      at_once = turns_at_once(seconds_since(before) / static_cast<double>(count));
      run += count;
    }
    if (samplers_.size() != 2) return;
    const std::span first(samplers_.front().samples().wall_us);
    const std::span second(samplers_.back().samples().wall_us);
    if (first.size() > begin) {
      ratios_.push_back(round_ratio(first.subspan(begin), second.subspan(begin)));
    }
  }

  /// Of a round with a number of runs; else no limit.
  std::size_t runs_left(std::size_t round, std::size_t run) const {
    if (!options_.iterations) return std::numeric_limits<std::size_t>::max();
    const std::size_t all = *options_.iterations;
    const std::size_t wanted = all / kLeastRounds + (round < all % kLeastRounds ? 1 : 0);
    return wanted - std::min(run, wanted);
  }

  bool is_done(std::size_t round, std::size_t run, Clock::time_point start) const {
    if (options_.iterations) return runs_left(round, run) == 0;
    return run >= kLeastRuns &&
           seconds_since(start) >= kRoundSeconds * static_cast<double>(samplers_.size());
  }

  bool is_full() const {
    return std::ranges::any_of(samplers_, [](const Sampler& sampler) {
      return sampler.samples().nodes_us.size() + sampler.samples().graph.nodes.size() > kMostTimes;
    });
  }

  bool is_stable() const {
    return std::ranges::all_of(samplers_, [](const Sampler& sampler) {
      const WallTime wall = wall_time(sampler.samples().wall_us);
      return wall.median_interval[1] - wall.median_interval[0] <= 2 * kStable * wall.median_us;
    });
  }

  const ProfileOptions& options_;
  Progress& progress_;
  std::list<Sampler> samplers_;
  std::vector<double> ratios_;
  double loading_seconds_ = 0;
};

/// The same with one thread, a round of its own.
RunTimes with_one_thread(const ToProfile& what, const ProfileOptions& options, Progress& progress) {
  TimedOptions single = place_of(options);
  single.threads = 1;
  Sampler sampler(what.model, what.batches, single, progress);
  sampler.open(options.warm_up);
  const Clock::time_point start = Clock::now();
  Sampler* const only = &sampler;
  for (std::size_t run = 0; run < kLeastRuns || seconds_since(start) < kRoundSeconds;) {
    throw_if_stopped(progress);
    constexpr std::size_t kAtOnce = 4;
    take_samples({&only, 1}, run, kAtOnce);
    run += kAtOnce;
  }
  return sampler.samples();
}

/// The typical number of elements that a node gives: their geometric mean.
std::int64_t typical_elements(const RunTimes& samples) {
  double sum = 0;
  double count = 0;
  for (const Node& node : samples.graph.nodes) {
    for (const std::string& output : node.outputs) {
      const auto type = samples.types.find(output);
      if (type == samples.types.end()) continue;
      sum += std::log(static_cast<double>(
          std::max<std::int64_t>(1, element_count(type->second.shape).value_or(1))));
      ++count;
    }
  }
  return count > 0 ? static_cast<std::int64_t>(std::exp(sum / count)) : 1;
}

}  // namespace

Profiled profile(std::span<const ToProfile> models, const ProfileOptions& options,
                 Progress& progress) {
  ProfileFrame frame{.threads = options.threads,
                     .batch_size = models[0].batches[0].samples.size(),
                     .event = {},
                     .machine = {}};
  if (options.machine) {
    frame.machine = measure_machine(models[0].model.format, place_of(options));
  }
  Rounds rounds(models, options, progress);
  rounds.run();
  Profiled result;
  auto sampler = rounds.samplers().begin();
  for (const ToProfile& what : models) {
    const RunTimes& samples = (sampler++)->samples();
    std::optional<RunTimes> single;
    if (options.threads > 1 && options.scaling) single = with_one_thread(what, options, progress);
    const ChainLike like{.format = what.model.format,
                         .nodes = samples.graph.nodes.size(),
                         .elements = typical_elements(samples)};
    frame.event = event_cost(like, place_of(options), progress);
    result.graphs.push_back(samples.graph);
    result.types.push_back(samples.types);
    result.answers.push_back(samples.answers);
    result.profiles.push_back(assemble(what.model, samples, single ? &*single : nullptr, frame));
  }
  if (models.size() == 2) result.ratio = ratio_of_rounds(rounds.ratios());
  return result;
}

}  // namespace quantlens
