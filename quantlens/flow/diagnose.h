// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/measure.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens::flow {

struct DiagnoseOptions {
  fs::path reference;
  fs::path quantized;
  DataChoice data;
  std::optional<MetricSpec> metric;
  std::uint64_t local_samples = kLocalSamples;
};

struct DiagnoseResult {
  std::string workload;
  fs::path folder;
  Diagnosis diagnosis;
  std::optional<AccuracyPair> accuracy;
  bool is_ours = false;  ///< the quantized model has the recipe that quantlens made it with
};

/// Pairs two models, runs them in lockstep over the data and says where they differ.
DiagnoseResult diagnose(const DiagnoseOptions& options, const Session& session);

}  // namespace quantlens::flow
