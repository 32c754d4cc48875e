// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/record/recipe.h"
#include "quantlens/record/workload.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// Which run it was: id, models, data, metric with its options, recipe, command, version and when.
/// Files are named without their folders. `recipe`: as it stands in the run; null: it has none.
Table run_origin_table(const Workload& run, const Recipe* recipe);

/// The command line as a shell takes it, its files without their folders.
std::string command_without_folders(const std::vector<std::string>& arguments);

}  // namespace quantlens
