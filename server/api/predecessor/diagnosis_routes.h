// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server::predecessor {

// What a diagnosis found, in the predecessors' fields.
Answer op_list(Context& context, const Call& call);
Answer op_details(Context& context, const Call& call);
/// In place of all raw values: values that are spread as these are, and counts between edges.
Answer histogram(Context& context, const Call& call);

json::Value op_list_schema(Schemas& schemas);
json::Value op_details_schema(Schemas& schemas);
json::Value histograms_schema(Schemas& schemas);

}  // namespace quantlens::server::predecessor
