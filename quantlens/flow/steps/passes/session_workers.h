// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/flow/session.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::flow {

/// Where models are timed: of a session that isolates them, which must outlive it, or of formats
/// that workers alone have; null: in this process.
std::shared_ptr<Workers> session_workers(const Session& session, const Model& model);

}  // namespace quantlens::flow
