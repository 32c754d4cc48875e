// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

// What the API says of itself, and of what changes.
Answer show_openapi(Context& context, const Call& call);
Answer subscribe(Context& context, const Call& call);

json::Value document_schema(Schemas& schemas);

}  // namespace quantlens::server
