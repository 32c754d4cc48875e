// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "quantlens/stats/exact_sum.h"

namespace quantlens {

// What Moments, ChannelMoments and PairStats share; not for other modules.

double mean_of(std::uint64_t count, double sum);  ///< 0 where count is 0
/// Population variance from sums of values and of their squares; never negative.
double variance_of(std::uint64_t count, double sum, double sum_sq);

/// A count of elements from statistics' bytes: a varint below 2^56, so that totals cannot overflow.
std::uint64_t take_element_count(std::string_view& in);
/// Refuses bytes whose extremes are not those of `count` finite values.
void check_extremes(float min, float max, std::uint64_t count);
/// Refuses bytes whose sum of squares, or whose sums of nothing, no values can have.
void check_sums(std::uint64_t count, const ExactSum& sum, const ExactSum& sum_sq);

}  // namespace quantlens
