// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/flow/part.h"
#include "quantlens/flow/session.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/ranges/choose_ranges.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/run_records.h"
#include "quantlens/record/tap_state.h"

namespace quantlens::flow {

struct CalibrateOptions {
  fs::path model;
  fs::path output;  ///< of the statistics
  DataChoice data;
  Recipe recipe;
  std::vector<fs::path> recipe_files;  ///< that the recipe came from: not overwritten
  Part part;  ///< a shard is one of the first `calibration_sampling_size` samples, as is no part
};

/// The records of the run: its statistics in figures, as written to `output`.
struct CalibrateResult : RunRecords {
  fs::path folder;  ///< the workload's
  fs::path output;
};

/// As that of QuantizeOptions.
void check_options(const CalibrateOptions& options, const std::optional<Recipe>& recipe);

/// Gathers, of the values whose ranges `quantize` would ask for with this recipe, what any of its
/// algorithms looks at, and writes it. Statistics of other samples merge with it.
CalibrateResult calibrate(const CalibrateOptions& options, const Session& session);

// ---- What quantize shares

/// What the recipe's algorithms want to know of the model's values: of these, whose ranges it asks
/// for, and of those whose channels it asks for: with `for_any_remedy` also of those that it would
/// ask for if it corrected biases.
std::vector<Tap> calibration_taps(const Draft& draft, const std::vector<std::string>& values,
                                  bool for_any_remedy = false);

/// So that any algorithm can be chosen later. `values`: in order.
void ask_for_histograms(const std::vector<std::string>& values, std::vector<Tap>& taps);

/// The first samples, as many as the recipe wants to calibrate on.
Samples first_samples(const Recipe& recipe, const FittedData& data);

/// How the recipe wants ranges to be chosen.
RangeOptions range_options(const Draft& draft);

/// The ranges of all values for 8-bit codes, and for 16-bit ones of those that are stored so.
Ranges ranges_for(const TapState& statistics, const Draft& draft);

/// One pass over these samples of the data's part.
TapState gather(const Model& model, const std::vector<Tap>& taps, const FittedData& data,
                const Samples& samples, const Session& session);

}  // namespace quantlens::flow
