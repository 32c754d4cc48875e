// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/tap_state.h"

namespace quantlens::flow {

/// What is known of a model's values: statistics and the ranges chosen from them, or ranges alone.
struct GivenRanges {
  std::optional<TapState> statistics;
  Ranges ranges;  ///< empty as read with statistics: they are still to be chosen
};

/// Reads what `--ranges` names, statistics or a ranges.json; files are told apart by content.
/// Throws Errc::bad_input for anything else, for damaged files, and for those that say they are of
/// another model than that of this hash.
GivenRanges read_ranges(const Store& store, const fs::path& path, const std::string& model);

/// Throws Errc::bad_input where the file has none of the values that need a range, and notes where
/// some are missing.
void check_values(const GivenRanges& given, const fs::path& path,
                  const std::vector<std::string>& values, Progress& progress);

}  // namespace quantlens::flow
