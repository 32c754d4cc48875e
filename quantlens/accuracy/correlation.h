// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace quantlens {

/// Ranks from 1 to n of n numbers; equal ones share the mean of their ranks. REQUIRES: no NaN.
std::vector<double> ranks(std::span<const double> values);

/// Spearman's correlation: Pearson's of the ranks. 0 where a side is constant, or there are fewer
/// than two. REQUIRES: equal sizes, no NaN.
double spearman(std::span<const double> x, std::span<const double> y);

/// A figure of the items whose indices are given.
using ItemsFigure = std::function<double(std::span<const std::size_t>)>;

/// 95 % interval of `figure` over items 0..count-1, within `bounds`, by the jackknife: each of up
/// to 200 groups of items (i belongs to group i modulo their number) is left out once; the figure
/// plus and minus Student's t times the standard error. Fewer than three items tell nothing:
/// `bounds`.
std::array<double, 2> jackknife_interval(std::size_t count, const ItemsFigure& figure,
                                         std::array<double, 2> bounds);

}  // namespace quantlens
