// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/record/passes.h"

namespace quantlens::flow {

/// Further passes of a diagnosis, over its first samples.
struct LocalPasses {
  const PairedModels& models;
  const FittedData& data;
  std::uint64_t samples = 0;  ///< 0: none is run
  const Session& session;
  const fs::path& folder;  ///< where a model may be for as long as it is needed
};

/// Runs both models with each op reading what the reference computed, and the float model beside
/// itself with rounded weights, and with rounded inputs.
class LocalRuns {
 public:
  /// Opens what it will run from now on, on another thread, where the session has a core for it.
  /// What it is given outlives it.
  explicit LocalRuns(const LocalPasses& passes);
  ~LocalRuns();  ///< waits for that thread
  LocalRuns(const LocalRuns&) = delete;
  LocalRuns& operator=(const LocalRuns&) = delete;

  /// Runs all. What stands in the way of a pass costs its figures, and is noted.
  LocalStates gathered();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantlens::flow
