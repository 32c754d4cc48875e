// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/store.h"
#include "quantlens/graph/cut.h"
#include "quantlens/record/inspection.h"
#include "quantlens/runtime/formats.h"

namespace quantlens::flow {

/// Reads the model, of which only what lies between the ends counts, and plans with the default
/// recipe as if every value had a range.
Inspection inspect(const fs::path& path, const Ends& ends = {}, const Formats& formats = Formats());

}  // namespace quantlens::flow
