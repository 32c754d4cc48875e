// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "quantlens/graph/outline.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/run_records.h"
#include "quantlens/stats/pair_intervals.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// The SQNR of a pair of values with all blocks of samples; nothing where the run did not keep it.
using FindSqnr = std::function<std::optional<BlockFigure>(std::string_view reference,
                                                          std::string_view quantized)>;

/// What is known of one of the two runs. What it did not store is absent.
struct RunToCompare {
  RunRecords records;
  std::optional<GraphOutline> graph;  ///< of the reference
  std::optional<Pairing> pairing;
  std::optional<Recipe> recipe;
  std::optional<AccuracyState> scored;
  std::optional<SampleSet> samples;  ///< that were compared
  FindSqnr find_sqnr;  ///< asked for one pair at a time, so that none need be held; may be empty
};

}  // namespace quantlens
