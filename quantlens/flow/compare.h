// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/comparison.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// What is different in run `b`, of two stored runs (docs/compare.md); nothing is run. Takes the
/// memory of their tables, not that of their histograms. `a`, `b`: as Workspace::find has them;
/// they may be one. Throws Errc::usage for a run that has not ended, Errc::bad_input for damaged
/// records.
Comparison compare(const Store& store, const Workspace& workspace, const std::string& a,
                   const std::string& b, Progress& progress);

}  // namespace quantlens::flow
