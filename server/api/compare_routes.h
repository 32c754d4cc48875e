// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

/// What is different in another run, by what both stored (compare/compare.h). Nothing is run for
/// it; both are read anew where one of their files has changed. Throws Errc::usage for a run that
/// has not ended.
Answer compare_runs(Context& context, const Call& call);

json::Value comparison_schema(Schemas& schemas);

}  // namespace quantlens::server
