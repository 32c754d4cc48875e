// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/store.h"
#include "server/request.h"

namespace quantlens::server {

/// What is asked below /api/: the list of workloads, as GET /api/v1/workloads. It reads the
/// workspace anew at each request. Empty `workspace`: the user's own.
Handler make_api(const fs::path& workspace);

}  // namespace quantlens::server
