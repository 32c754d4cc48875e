// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

/// All that is stored of one op of the reference, by its id or by its name.
Answer show_op(Context& context, const Call& call);

json::Value op_schema(Schemas& schemas);

}  // namespace quantlens::server
