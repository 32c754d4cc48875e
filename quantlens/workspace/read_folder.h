// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/run_folder.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {

/// What a run's folder holds, without what its sub-folders hold. Of the files nothing but the first
/// bytes is read. JSON has the version of the whole folder (Workload::format), other records their
/// own.
RunFolder read_folder(const Store& store, const Workspace& workspace, const Workload& run);

}  // namespace quantlens
