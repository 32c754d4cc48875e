// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/graph/order.h"

namespace quantlens {

/// An axis' extent where it is the same in every run of the model.
using Extent = std::optional<std::int64_t>;

/// Of values whose number of dimensions is known (ranks.h), one for each.
using Extents = std::unordered_map<std::string, std::vector<Extent>>;

/// As far as the file says them or the ops make them known.
Extents extents(const GraphIndex& index);

}  // namespace quantlens
