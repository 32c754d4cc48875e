// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

/// The picture that a run had as a sample, as its file is now. The sample is one that a record
/// names; the file is where the run's data are, and below the folders that jobs may use.
Answer show_picture(Context& context, const Call& call);

}  // namespace quantlens::server
