// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "server/api/route.h"

namespace quantlens::server {

/// The name as a header has it (RFC 6266): plain characters as they are, all of it in UTF-8.
std::string disposition(std::string_view name);

/// A file of a run's own folder as it is, to be saved: tables, recipes, traces.
Answer run_file(Context& context, const Call& call);

}  // namespace quantlens::server
