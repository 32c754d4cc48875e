// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/verdict/found_cause.h"

namespace quantlens {

/// Makes one of causes that one remedy mends, and whose shares the same ops measure: one trial of
/// them gives one figure. Mistakes lead, then the greater estimate; the others' sentences follow,
/// and the estimates add up. Keeps the order of what leads.
void join_same_remedies(std::vector<FoundCause>& found);

/// All ops that are in float where a cause's remedy is tried, sorted; none where it is another one.
using MadeFloat = std::function<std::vector<OpRef>(const FoundCause&)>;

/// Likewise of causes whose remedies make the same ops float, though they do not name the same: the
/// remedy of all names what any does.
void join_same_trials(const MadeFloat& made_float, std::vector<FoundCause>& found);

}  // namespace quantlens
