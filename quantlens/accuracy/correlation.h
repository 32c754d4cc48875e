// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace quantlens {

/// Ranks from 1 to n of n numbers; equal ones share the mean of their ranks. REQUIRES: no NaN.
std::vector<double> ranks(std::span<const double> values);

/// Spearman's correlation: Pearson's of the ranks. 0 where a side is constant, or there are fewer
/// than two. REQUIRES: equal sizes, no NaN.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace quantlens
