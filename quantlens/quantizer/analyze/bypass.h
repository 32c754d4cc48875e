// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// Whether all who read a value can be given another one: it is no output of the graph, and no
/// body of an If or Loop reads it.
bool can_be_replaced(const GraphIndex& index, const std::string& value);

/// Takes ops out of a float model: whoever reads one of them reads instead what it reads by its
/// input of this number. REQUIRES: of each, can_be_replaced.
void bypass(const GraphIndex& index, const std::vector<Use>& gone, Plan& plan);

}  // namespace quantlens
