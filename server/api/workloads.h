// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/store.h"
#include "server/jobs/jobs.h"
#include "server/request.h"

namespace quantlens::server {

/// What is asked below /api/ (docs/server-api.md), over the workspace on this disk, with a watcher
/// that tells what changes. Empty `workspace`: the user's own.
Endpoint make_api(const fs::path& workspace, const JobsOptions& jobs);

}  // namespace quantlens::server
