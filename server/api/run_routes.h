// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

// Which runs there are, one of them, what people say of it, and its removal.
Answer list_runs(Context& context, const Call& call);
Answer show_run(Context& context, const Call& call);
Answer run_events(Context& context, const Call& call);
Answer label_run(Context& context, const Call& call);
/// With confirm=<the whole id> alone. One that is being written stays: 409.
Answer remove_run(Context& context, const Call& call);

json::Value run_list_schema(Schemas& schemas);
json::Value shown_run_schema(Schemas& schemas);
json::Value event_list_schema(Schemas& schemas);
json::Value labels_schema(Schemas& schemas);
json::Value removed_schema(Schemas& schemas);

/// 409 and a sentence where a process writes it. Throws as Workspace::remove does.
std::optional<Response> remove(Context& context, const Run& run);

}  // namespace quantlens::server
