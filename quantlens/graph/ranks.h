// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "quantlens/graph/order.h"

namespace quantlens {

/// How many dimensions a graph's values have, as far as the file says it or the ops make it known;
/// others are left out.
std::unordered_map<std::string, std::size_t> ranks(const GraphIndex& index);

}  // namespace quantlens
