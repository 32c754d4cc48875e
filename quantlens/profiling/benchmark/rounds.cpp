// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/rounds.h"

#include <bit>
#include <chrono>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check(const std::function<bool()>& stop) {
  if (stop && stop()) throw Error(Errc::interrupted, "interrupted");
}

}  // namespace

bool is_swapped(std::uint64_t i) {
  return std::popcount(i) % 2 == 1;
}

bool is_enough(std::uint64_t runs, double seconds, const RoundOptions& options) {
  runs *= options.loadings;
  seconds *= static_cast<double>(options.loadings);
  if (options.iterations) return runs >= *options.iterations;
  constexpr std::uint64_t kRuns = 50;
  constexpr double kSeconds = 1;
  constexpr std::uint64_t kSlowRuns = 10;
  constexpr double kSlowSeconds = 5;
  return (runs >= kRuns && seconds >= kSeconds) || (runs >= kSlowRuns && seconds >= kSlowSeconds);
}

RoundModel::RoundModel(const TimedModel& timed, const TimedOptions& how)
    : run_(open_timed(*timed.model, how)), count_(timed.batches.size()) {
  for (const Batch& batch : timed.batches) run_->add(batch);
}

void RoundModel::warm_up(std::uint64_t runs, const std::function<bool()>& stop) {
  for (std::uint64_t i = 0; i < runs; ++i) {
    check(stop);
    run_us(i);
  }
}

std::vector<std::vector<double>> time_loading(std::span<const TimedModel> models, std::size_t first,
                                              const RoundOptions& options,
                                              const std::function<bool()>& stop, Workers* workers) {
  // Places are numbered as they are loaded, and only these numbers decide what is done when, to the
  // end of the models: so the loading that begins with the other model is its mirror image.
  const std::size_t count = models.size();
  const auto model_at = [&](std::size_t place) { return (first + place) % count; };
  const TimedOptions how{
      .threads = options.threads, .in_turn = count > 1, .stop_requested = stop, .workers = workers};
  std::vector<RoundModel> places;
  places.reserve(count);
  for (std::size_t place = 0; place < count; ++place) {
    check(stop);
    places.emplace_back(models[model_at(place)], how);
  }
  for (RoundModel& place : places) place.warm_up(options.warmup, stop);
  std::vector<std::vector<double>> runs_us(count);
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; !is_enough(i, seconds_since(start), options); ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      check(stop);
      const std::size_t place = (k + (is_swapped(i) ? 1 : 0)) % count;
      runs_us[model_at(place)].push_back(places[place].run_us(i));
    }
  }
  return runs_us;
}

}  // namespace quantlens
