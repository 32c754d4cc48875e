// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/rounds.h"

#include <bit>
#include <chrono>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point start) {
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
  std::size_t at_once = 1;
  for (std::uint64_t i = 0; !is_enough(i, seconds_from(start), options);) {
    check(stop);
    const Clock::time_point before = Clock::now();
    std::vector<Turn> turns;
    std::vector<std::size_t> whose;
    const std::uint64_t end = i + at_once;
    do {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t place = (k + (is_swapped(i) ? 1 : 0)) % count;
        turns.push_back(places[place].turn(i));
        whose.push_back(model_at(place));
      }
      ++i;
    } while (i < end && !(options.iterations && is_enough(i, 0, options)));
    run_in_turn(turns, [&](std::size_t turn, const RunTime& time) {
      runs_us[whose[turn]].push_back(static_cast<double>(time.whole) / 1e3);
    });
    at_once = turns_at_once(seconds_from(before) * static_cast<double>(count) /
                            static_cast<double>(turns.size()));
  }
  return runs_us;
}

}  // namespace quantlens
