// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/record/run_records.h"
#include "quantlens/record/study.h"

namespace quantlens::flow {

struct TuneOptions {
  fs::path model;
  fs::path output;  ///< empty: `.int8` before the model's extension
  DataChoice data;
  std::optional<DataChoice> calibration_data;  ///< instead of the first samples of `data`
  Recipe recipe;                               ///< what the search starts from
  std::vector<fs::path> recipe_files;          ///< that it came from: not overwritten
  MetricSpec metric;
  Goal goal;
  std::string strategy = "auto";
  std::uint64_t seed = 0;
  std::uint64_t max_trials = 100;
  double timeout = 0;                 ///< seconds after which no trial begins; 0: none
  std::optional<std::string> resume;  ///< workload of an earlier run with the same options
  /// For Objective::speed: measured (here, once there is a model within the goal), none (the
  /// number of ops in int8 stands for speed: the same trials on any machine), or the prices.json of
  /// an earlier run.
  std::string prices = "measured";
  bool diagnose_best = false;  ///< at the end, for who shows what it does to tensors
  fs::path emit_recipe;        ///< where the best recipe is written; empty: nowhere
  /// Told after each trial, those of an earlier run included.
  std::function<void(const Study& study, const StudyTimes& times)> on_trial;
};

/// Names of records in the workload.

/// The records of the run: its study, and what it took.
struct TuneResult : RunRecords {
  fs::path folder;  ///< the workload's
  fs::path output;
};

/// As that of QuantizeOptions.
void check_options(const TuneOptions& options, const std::optional<Recipe>& recipe);

/// Searches for the recipe that serves the goal's objective best and loses no more than it allows.
/// The best model so far is in `output` after each trial that is better, all trials in the
/// workload, whatever happens afterwards.
TuneResult tune(const TuneOptions& options, const Session& session);

}  // namespace quantlens::flow
