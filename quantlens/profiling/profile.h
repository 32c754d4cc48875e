// profiling: where a model's time goes, node by node, and what two models' times have to do with
// each other. Start here; then attribute.h (whose time it is), join.h (two models).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/profiling/sampler.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/record/profile.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

struct ProfileOptions {
  unsigned threads = 1;
  Workers* workers = nullptr;             ///< where models run; null: in this process
  std::size_t warm_up = 10;               ///< runs before those that count, after each loading
  std::optional<std::size_t> iterations;  ///< that count, in all; absent: until they are stable
  bool machine = true;           ///< learn what the machine can do at most, for rates and bounds
  bool scaling = true;           ///< time it with one thread, too, where there are more
  std::string step = "profile";  ///< what progress calls it
};

/// A model and what it is run over: one batch at least. Both outlive the call.
struct ToProfile {
  const Model& model;
  std::span<const Batch> batches;
};

/// Profiles of one or two models, in their order.
struct Profiled {
  std::vector<Profile> profiles;
  std::vector<Graph> graphs;      ///< that the runtime ran
  std::vector<ValueTypes> types;  ///< of those graphs' values
  std::vector<Answers> answers;   ///< to be held against each other: timers shall change nothing
  std::optional<Ratio> ratio;     ///< of two: wall time of the second over the first
};

/// Runs the models over the batches in turn, without timers and with, in rounds that load them
/// anew. Without `iterations` it ends when the median of each model's wall time is known to 1 %
/// (95 %), after four rounds at least and eight at most, an even number. Throws Errc::interrupted
/// where progress asks to stop.
Profiled profile(std::span<const ToProfile> models, const ProfileOptions& options,
                 Progress& progress);

}  // namespace quantlens
