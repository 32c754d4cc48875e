// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct QuantizeOptions {
  fs::path model;
  fs::path output;                             ///< empty: `.int8` before the model's extension
  DataChoice data;                             ///< with `ranges` only where something is measured
  std::optional<DataChoice> calibration_data;  ///< instead of the first samples of `data`
  std::optional<fs::path> ranges;  ///< statistics or a ranges.json: then nothing is calibrated
  Recipe recipe;
  std::vector<fs::path> recipe_files;  ///< that the recipe came from: not overwritten
  bool diagnose = false;
  std::uint64_t verify = 0;  ///< findings whose remedies are tried; REQUIRES `diagnose`
  std::optional<MetricSpec> metric;
};

/// The records of the run: its plan, and what was asked for.
struct QuantizeResult : RunRecords {
  fs::path folder;  ///< the workload's
  fs::path output;
};

/// Says before any file is read which options do not go together, or lack another one. `recipe`:
/// none where it is not read yet. Throws Errc::usage.
void check_options(const QuantizeOptions& options, const std::optional<Recipe>& recipe);

/// Calibrates (or takes what a calibration gave), plans, writes the quantized model, and then, if
/// asked, diagnoses and evaluates it. The model is on disk before it is measured, and stays
/// whatever happens afterwards.
QuantizeResult quantize(const QuantizeOptions& options, const Session& session);

}  // namespace quantlens::flow
