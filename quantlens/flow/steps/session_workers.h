// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/flow/session.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::flow {

/// Where models are read, written and timed of a session that isolates them, which must outlive it;
/// null: in this process.
std::unique_ptr<Workers> session_workers(const Session& session);

}  // namespace quantlens::flow
