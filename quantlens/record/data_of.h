// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/record/workload.h"

namespace quantlens {

/// The run's data of this role, as its own record names them, of several the first. Null: there are
/// none.
const DataUsed* data_of(const Workload& run, DataRole role);
/// The same, of what a comparison says of a run.
const DataUsed* data_of(const std::vector<DataUsed>& data, DataRole role);

}  // namespace quantlens
