// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/graph/order.h"

namespace quantlens {

/// What the number in a Cast's attribute `to` means in a format.
using CastTypes = std::optional<DType> (*)(std::int64_t number);

/// The element types of a graph's values, as far as the file says them or the ops make them known;
/// values of unknown type are left out, those of casts too where `cast_types` is null.
std::unordered_map<std::string, DType> element_types(const GraphIndex& index,
                                                     CastTypes cast_types = nullptr);

}  // namespace quantlens
