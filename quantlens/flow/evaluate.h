// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/part.h"
#include "quantlens/flow/session.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct EvaluateOptions {
  fs::path model;
  std::optional<fs::path> against;  ///< the model to compare with, over the same samples
  DataChoice data;                  ///< of a metric that needs it
  Part part;                        ///< of these data
  MetricSpec metric;
};

/// The records of the run: an accuracy of `model` alone, or of two (reference: `against`,
/// quantized: `model`).
struct EvaluateResult : RunRecords {
  fs::path folder;
};

/// Says before any file is read which options lack another one. Throws Errc::usage.
void check_options(const EvaluateOptions& options);

/// A model's accuracy, alone or paired with another's. Throws Errc::usage where the data that the
/// metric needs are not named.
EvaluateResult evaluate(const EvaluateOptions& options, const Session& session);

}  // namespace quantlens::flow
