// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/record/profile.h"

namespace quantlens {

/// Why int8 is no faster than it is: rows alike are one finding, the most milliseconds first, none
/// of less than half a percent of the quantized model's wall time. docs/profiling.md has the rules.
/// What would mend it has to be timed (try_remedies.h): there is no remedy yet.
/// REQUIRES: a profile of two models, as do the others that take a `pair`.
std::vector<SpeedFinding> speed_findings(const ProfileRecord& pair);

/// How the two compare, and what quantization saves and costs.
Statements speed_conclusions(const ProfileRecord& pair);

}  // namespace quantlens
