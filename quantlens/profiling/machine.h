// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/record/profile.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What this machine can do with this many threads: the best of a few copies of 64 MB (which reads
/// and writes as much), and of products of matrices of 512 by 512 in the runtime that models run
/// of this format run in; 0 where the runtime has no kernel for the integer one. `how`: threads,
/// and where models run. Takes about a tenth of a second.
Machine measure_machine(std::string_view format, const TimedOptions& how);

}  // namespace quantlens
