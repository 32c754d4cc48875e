// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server::predecessor {

// Models of workloads, drawn from what is stored: the model's own file is never opened.
Answer model_graph(Context& context, const Call& call);
Answer highlight_pattern(Context& context, const Call& call);
/// Nothing of ours makes one.
Answer model_summary(Context& context, const Call& call);

json::Value graph_schema(Schemas& schemas);
json::Value highlighted_schema(Schemas& schemas);
json::Value summary_schema(Schemas& schemas);

}  // namespace quantlens::server::predecessor
