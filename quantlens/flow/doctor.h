// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/checkup.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::flow {

/// Which runtimes are there and why one is not, and what else decides how models run here. Throws
/// as default_workspace does. `workers` are asked of the runtimes that run in workers alone; null:
/// their versions are not told.
Checkup doctor(Workers* workers);

/// Whether there is a runtime for models of the user's: the oracle is for tests.
bool can_run_models(const Checkup& checkup);

}  // namespace quantlens::flow
