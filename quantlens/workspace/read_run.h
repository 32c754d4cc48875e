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

/// Where a search keeps what it found of the trial that it kept; empty: of other runs, or none.
std::string kept_part(const RunRecords& records);

/// All that a stored run is told by; of a search its diagnosis is that of the model that it kept,
/// where it made one. `id`: as Workspace::find_sound has it, and throws. Throws
/// Errc::bad_input for records that are damaged. `cores`: read the large ones at the same time.
RunRecords read_run(const Store& store, const Workspace& workspace, const std::string& id,
                    Cores* cores = nullptr);

/// Throws Errc::usage for a run that is under way. `what` to do when it is not: "compare".
void check_ended(const std::string& id, WorkloadState state, std::string_view what);

/// Throws Errc::not_found where the run was deleted since it was found: what was read of it may be
/// a part. To be asked before anything that was made of it is kept.
void check_still_there(const Store& store, const Workspace& workspace, const std::string& id);

/// "... did not end well: ...; what it had stored until then is used"; empty where it did.
std::string unfinished_note(const Workload& run);

/// The same with all that a comparison asks for; of a search that of the trial that it kept. Its
/// `find_sqnr` keeps the file of histograms open and reads one pair of it at a time; it finds
/// nothing in a file of a layout before 3, which has no index. Throws as read_run does, and
/// `find_sqnr` Errc::bad_input for damaged bytes.
RunToCompare read_run_to_compare(const Store& store, const Workspace& workspace,
                                 const std::string& id, Cores* cores = nullptr);

}  // namespace quantlens
