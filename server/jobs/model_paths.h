// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/jobs/roots.h"

namespace quantlens::server {

/// What a job takes as a model: a file below the roots, and so are all that it names itself
/// (external data). Returns its path without links. `field` is how the client calls it. Throws
/// Refusal.
fs::path checked_model(std::string_view text, std::string_view field, const Roots& roots);

}  // namespace quantlens::server
