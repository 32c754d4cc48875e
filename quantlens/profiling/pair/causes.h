// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/profiling/attribute.h"

namespace quantlens {

/// For each node of a runtime's graph the ops (numbers of nodes) that it is there for: an op
/// itself; of a conversion those that `join` charges it to, found through whatever only moves
/// elements. Empty where there is none.
std::vector<std::vector<std::size_t>> causes(const Graph& run,
                                             const std::vector<Attributed>& attributed);

}  // namespace quantlens
