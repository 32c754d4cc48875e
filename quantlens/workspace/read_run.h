// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/base/cores.h"
#include "quantlens/record/run_records.h"
#include "quantlens/record/run_to_compare.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {

/// Of the outermost graph.
LinkCounts links_of(const GraphOutline& graph);

/// All that a stored run is told by. `id`: as Workspace::find has it, and throws. Throws
/// Errc::bad_input for records that are damaged. `cores`: read the large ones at the same time.
RunRecords read_run(const Store& store, const Workspace& workspace, const std::string& id,
                    Cores* cores = nullptr);

/// Throws Errc::usage for a run that is under way. `what` to do when it is not: "compare".
void check_ended(const std::string& id, WorkloadState state, std::string_view what);

/// The same with all that a comparison asks for; of a search that of the trial that it kept. Its
/// `find_sqnr` keeps the file of histograms open and reads one pair of it at a time; it finds
/// nothing in a file of a layout before 3, which has no index. Throws as read_run does, and
/// `find_sqnr` Errc::bad_input for damaged bytes.
RunToCompare read_run_to_compare(const Store& store, const Workspace& workspace,
                                 const std::string& id, Cores* cores = nullptr);

}  // namespace quantlens
