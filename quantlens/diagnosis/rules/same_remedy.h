// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/diagnosis/rules/found_cause.h"

namespace quantlens {

/// Makes one of causes that one remedy mends, and whose shares the same ops measure: one trial of
/// them gives one figure. Mistakes lead, then the greater estimate; the others' sentences follow,
/// and the estimates add up. Keeps the order of what leads.
void join_same_remedies(std::vector<FoundCause>& found);

}  // namespace quantlens
