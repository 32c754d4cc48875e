// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

/// A file of a run's own folder as it is, to be saved: tables, recipes, traces.
Answer run_file(Context& context, const Call& call);

}  // namespace quantlens::server
