// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/json.h"
#include "server/api/answer.h"
#include "server/api/route.h"

namespace quantlens::server {

/// The table's lines about jobs, files and uploads. Without Jobs in the context each is a 404.
std::vector<Route> job_routes();

}  // namespace quantlens::server
