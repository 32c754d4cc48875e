// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "quantlens/flow/session.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::flow {

/// Where models are timed: of a session that isolates them, which must outlive it, or where workers
/// alone run the format of one of them; null: in this process.
std::shared_ptr<Workers> session_workers(const Session& session,
                                         std::span<const Model* const> models);

}  // namespace quantlens::flow
