// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

/// What other codes of some ops would cost, by what their diagnosis stored (quantizer/ranges/).
Answer what_if(Context& context, const Call& call);

json::Value what_if_body(Schemas& schemas);
json::Value what_if_schema(Schemas& schemas);

}  // namespace quantlens::server
