// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>

#include "quantlens/base/progress.h"
#include "quantlens/record/profile.h"

namespace quantlens::imports {

/// Reads a trace that trace.h wrote; of two models the first.
Profile import_exported(std::istream& in, Progress& progress);

}  // namespace quantlens::imports
