// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "quantlens/record/accuracy.h"
#include "quantlens/record/benchmark.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/profile.h"
#include "quantlens/record/statistics_summary.h"
#include "quantlens/record/study.h"
#include "quantlens/record/workload.h"

namespace quantlens {

/// How many of these a quantized model has.
struct LinkCounts {
  std::uint64_t quantize = 0;    ///< QuantizeLinear
  std::uint64_t dequantize = 0;  ///< DequantizeLinear
};

/// What a run is told by: its own record, and of the others those that it made. Verbs return them,
/// and a stored run has the same ones (workspace/read_run.h).
struct RunRecords {
  Workload run;
  std::optional<Plan> plan;
  LinkCounts links;                     ///< of the model that the plan made
  std::optional<FloatEdit> float_edit;  ///< where the float model was edited first
  std::optional<Diagnosis> diagnosis;
  std::optional<AccuracyRecord> accuracy;
  std::optional<Study> study;
  StudyTimes times;  ///< of the study
  std::optional<ProfileRecord> profile;
  std::optional<Benchmark> benchmark;
  std::optional<StatisticsSummary> statistics;  ///< of a run that went no further
};

}  // namespace quantlens
