// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace quantlens {

/// An order in which each number comes behind those that it needs, as near to 0, 1, 2, ... as can
/// be. Numbers that wait for a cycle are left out. REQUIRES: each list names a number once.
std::vector<std::size_t> stable_order(const std::vector<std::vector<std::size_t>>& needs);

}  // namespace quantlens
