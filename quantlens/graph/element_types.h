// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "quantlens/graph/order.h"

namespace quantlens {

/// The element types of a graph's values, as far as the file says them or the ops make them known;
/// values of unknown type are left out.
std::unordered_map<std::string, DType> element_types(const GraphIndex& index);

}  // namespace quantlens
