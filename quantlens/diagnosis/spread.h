// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace quantlens {

/// The widest of some channels over the median one, those of no width left out; nothing where that
/// leaves none.
std::optional<double> spread_of(std::vector<double> widths);

}  // namespace quantlens
