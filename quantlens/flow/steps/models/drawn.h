// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/model.h"
#include "quantlens/graph/outline.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// The graph of a model that runs in the place of `file`, as records have it.
GraphOutline drawn(const Model& ran, const Model& file);

/// Stores the graph of the model that runs in the place of the reference's file, where it is
/// another than the file's own, which the workload has from its beginning: in newer operators, with
/// constants folded into its ops, or edited.
void put_if_other(const Model& ran, const Model& file, WorkloadWriter& workload);

}  // namespace quantlens::flow
