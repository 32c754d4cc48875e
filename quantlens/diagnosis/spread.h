// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace quantlens {

/// What codes must cover for a channel of these extremes: they always reach 0.
double width_with_zero(double min, double max);

/// The widest of some channels over the median one (of an even number the upper), by their widths
/// as above, those of 0 left out; nothing where that leaves none.
std::optional<double> spread_of(std::vector<double> widths);

}  // namespace quantlens
