// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

// What a run has stored: records, and lists of theirs page by page.
Answer show_record(Context& context, const Call& call);
Answer show_table(Context& context, const Call& call);

json::Value table_schema(Schemas& schemas);

}  // namespace quantlens::server
