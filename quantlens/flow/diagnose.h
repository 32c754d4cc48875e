// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

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
};

/// The records of the run, its diagnosis among them.
struct DiagnoseResult : RunRecords {
  fs::path folder;       ///< the workload's
  bool is_ours = false;  ///< the quantized model has the recipe that quantlens made it with
};

/// Pairs two models, runs them in lockstep over the data and says where they differ.
DiagnoseResult diagnose(const DiagnoseOptions& options, const Session& session);

}  // namespace quantlens::flow
