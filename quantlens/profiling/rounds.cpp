// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/rounds.h"

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

/// Numbers of the models in the order of turn `i`, the first of which begins with number `first`.
std::vector<std::size_t> turn(std::size_t models, std::size_t first, std::uint64_t i) {
  const std::size_t begin = first + (is_swapped(i) ? 1 : 0);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < models; ++k) order.push_back((begin + k) % models);
  return order;
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

RoundModel::RoundModel(const TimedModel& timed, const RoundOptions& options)
    : run_(open_timed(*timed.model, {.threads = options.threads, .nodes = false})),
      count_(timed.batches.size()) {
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
                                              const std::function<bool()>& stop) {
  std::vector<std::optional<RoundModel>> opened(models.size());
  for (const std::size_t m : turn(models.size(), first, 0)) {
    check(stop);
    opened[m].emplace(models[m], options);
  }
  for (auto& model : opened) model->warm_up(options.warmup, stop);
  std::vector<std::vector<double>> runs_us(models.size());
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; !is_enough(i, seconds_since(start), options); ++i) {
    for (const std::size_t m : turn(models.size(), first, i)) {
      check(stop);
      runs_us[m].push_back(opened[m]->run_us(i));
    }
  }
  return runs_us;
}

}  // namespace quantlens
