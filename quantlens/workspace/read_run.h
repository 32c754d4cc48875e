// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/run_records.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {

/// Of the outermost graph.
LinkCounts links_of(const GraphOutline& graph);

/// All that a stored run is told by. `id`: as Workspace::find has it, and throws. Throws
/// Errc::bad_input for records that are damaged.
RunRecords read_run(const Store& store, const Workspace& workspace, const std::string& id);

}  // namespace quantlens
