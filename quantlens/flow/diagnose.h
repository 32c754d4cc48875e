// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/part.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct DiagnoseOptions {
  fs::path reference;
  fs::path quantized;
  DataChoice data;
  Part part;  ///< of these data
  std::optional<MetricSpec> metric;
  std::uint64_t local_samples = kLocalSamples;
  /// Nothing is judged, and no second pass is made: what is gathered is for a run with `gathered`.
  bool only_gather = false;
  /// Runs over all parts of the data that only gathered, as JudgeOptions::runs: they stand for a
  /// pass over all samples. With the first samples, which alone are run, they give the bytes that
  /// one run over all of them does.
  std::vector<std::string> gathered = {};
};

/// The records of the run, its diagnosis among them.
struct DiagnoseResult : RunRecords {
  fs::path folder;       ///< the workload's
  bool is_ours = false;  ///< the quantized model has the recipe that quantlens made it with
};

/// Pairs two models, runs them in lockstep over the data and says where they differ. Throws of
/// `gathered` as judge does, and Errc::bad_input where they are of other models, or have not looked
/// at all samples.
DiagnoseResult diagnose(const DiagnoseOptions& options, const Session& session);

}  // namespace quantlens::flow
