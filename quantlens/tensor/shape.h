// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quantlens {

/// Extents, outermost first; empty for a scalar. Zero extents are allowed.
using Shape = std::vector<std::int64_t>;

/// Number of elements; nothing where an extent is negative or the product of those that are not
/// zero overflows.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

std::string to_string(std::span<const std::int64_t> shape);  ///< "[1,3,224,224]"

}  // namespace quantlens
