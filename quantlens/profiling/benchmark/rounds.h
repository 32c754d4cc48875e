// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// How the runs of one round are taken.
struct RoundOptions {
  unsigned threads = 1;
  std::uint64_t warmup = 10;                ///< runs of a model before the clock counts
  std::optional<std::uint64_t> iterations;  ///< timed runs of each model; absent: until enough
  std::uint64_t loadings = 1;               ///< a round is divided into, with warm-up runs each
};
BOOST_DESCRIBE_STRUCT(RoundOptions, (), (threads, warmup, iterations, loadings))

/// Whether a loading's part of a round has timed enough runs. A whole round: as many as asked for;
/// else 50, and for 1 s, or, of a slow model, 10, and for 5 s.
bool is_enough(std::uint64_t runs, double seconds, const RoundOptions& options);

/// A model, and batches that it takes. REQUIRES: one batch at least.
struct TimedModel {
  const Model* model = nullptr;
  std::vector<Batch> batches;
};

/// A model that was loaded for a round, or its part of one.
class RoundModel {
 public:
  /// Loads it. Throws as open_timed and TimedRun::add do.
  RoundModel(const TimedModel& timed, const TimedOptions& how);
  /// Runs it before the clock counts. Throws Errc::interrupted where `stop` says so.
  void warm_up(std::uint64_t runs, const std::function<bool()>& stop);
  /// The time of run number `i`, in microseconds; batches take turns.
  double run_us(std::uint64_t i) { return static_cast<double>(run_->run(i % count_).whole) / 1e3; }
  Turn turn(std::uint64_t i) const { return {.model = run_.get(), .batch = i % count_}; }

 private:
  std::unique_ptr<TimedRun> run_;
  std::size_t count_;
};

/// Whether in turn `i` two models change places: A B, B A, B A, A B, ... (Thue and Morse). It does
/// not repeat itself, so that nothing that comes back at equal times always meets the same model,
/// and each model runs after itself as often as the other does.
bool is_swapped(std::uint64_t i);

/// One loading: loads the models anew, that of number `first` first, and times them in turn, so
/// that what disturbs one disturbs the other. For each its runs in microseconds, equally many.
/// They run in `workers`; null: in this process. Throws Errc::interrupted where `stop` says so
/// between runs. REQUIRES: one model or two.
std::vector<std::vector<double>> time_loading(std::span<const TimedModel> models, std::size_t first,
                                              const RoundOptions& options,
                                              const std::function<bool()>& stop,
                                              Workers* workers = nullptr);

}  // namespace quantlens
