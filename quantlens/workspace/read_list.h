// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "quantlens/record/listed_run.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {

/// What the run measured, of a search its best trial; nothing where that is damaged or absent.
std::optional<AccuracySummary> read_accuracy(const WorkloadReader& reader);

/// All runs, newest first, as Workspace::list has them. Of the records of each nothing but its
/// accuracy is read.
std::vector<ListedRun> read_list(const Store& store, const Workspace& workspace);

}  // namespace quantlens
