// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server::predecessor {

/// That `workload_id` names. Throws, in the predecessors' words, Errc::usage where it is missing
/// and Errc::not_found where there is none of this id.
Runs::One run_of(Context& context, const Call& call);

}  // namespace quantlens::server::predecessor
