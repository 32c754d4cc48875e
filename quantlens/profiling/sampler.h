// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What one model answers to its first batch.
struct Answers {
  TensorMap bare;   ///< in the session whose wall time is taken
  TensorMap again;  ///< there, once more: another one where it draws at random
  TensorMap timed;  ///< with timers in the graph
};

/// What was timed of one model, run by run, in microseconds.
struct RunTimes {
  Graph graph;  ///< that the runtime ran
  Answers answers;
  ValueTypes types;
  std::vector<double> wall_us;   ///< runs without timers
  std::vector<double> timed_us;  ///< runs with timers
  std::vector<float> nodes_us;   ///< of each timed run, one after the other, its nodes

  std::span<const float> run(std::size_t number) const {
    return std::span(nodes_us).subspan(number * graph.nodes.size(), graph.nodes.size());
  }
};

/// Runs one model over its batches in turn, with and without timers, and keeps the times.
class Sampler {
 public:
  /// All it is given must outlive it. `how`: threads, and where models run. Each function throws
  /// Errc::interrupted where progress asks to stop, between two runs and while a model is loaded.
  /// REQUIRES: one batch at least.
  Sampler(const Model& model, std::span<const Batch> batches, const TimedOptions& how,
          const Progress& progress);

  /// Loads the model anew, twice, and runs it `warm_up` times.
  void open(std::size_t warm_up);
  /// The turns of the next sample: one run without timers and one with. REQUIRES: it is open.
  std::array<Turn, 2> next();
  /// What such a turn took: of `which`, 0 or 1.
  void keep(std::size_t which, const RunTime& time);
  const RunTimes& samples() const { return samples_; }

 private:
  const Model& model_;
  std::span<const Batch> batches_;
  TimedOptions how_;
  const Progress& progress_;
  std::unique_ptr<TimedRun> bare_;
  std::unique_ptr<TimedRun> timed_;
  std::size_t next_ = 0;
  RunTimes samples_;
};

/// Takes `count` samples of each; neighbouring samples in opposite orders, beginning with the
/// order of sample number `first`. Throws as Sampler does. REQUIRES: all are open.
void take_samples(std::span<Sampler* const> samplers, std::size_t first, std::size_t count);

}  // namespace quantlens
