// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server::predecessor {

Answer workloads(Context& context, const Call& call);
/// By POST alone: a GET that removes is what a link in a page can do.
Answer delete_workload(Context& context, const Call& call);
Answer profiling(Context& context, const Call& call);

json::Value workloads_schema(Schemas& schemas);
json::Value deleted_schema(Schemas& schemas);
json::Value profiling_schema(Schemas& schemas);

}  // namespace quantlens::server::predecessor
