// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/record/profile.h"

namespace quantlens {

/// The value below which a share `q` (0..1) of them lie, interpolated between neighbours; 0 of
/// none.
double quantile(std::vector<double> values, double q);

/// Of single runs, in microseconds. The median's interval is that of order statistics (binomial,
/// normal approximation; Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2), its
/// upper end one run further out, so that few runs do not promise too much; it is the whole range
/// where there are fewer than six.
WallTime wall_time(std::vector<double> runs_us);

/// Numbers of the runs that are in the middle half by their time, at least one: what is slow for
/// reasons outside the model, and what met a lucky moment, is left out.
std::vector<std::size_t> middle_half(std::span<const double> runs_us);

/// How two things that were timed in turn compare in one round: the median of the ratios of
/// neighbouring runs, second over first. REQUIRES: equally many, one at least, all above 0.
double round_ratio(std::span<const double> first, std::span<const double> second);

/// A ratio and its 95 % interval.
struct Ratio {
  double value = 1;
  std::array<double, 2> interval{};
};

/// The geometric mean of several rounds' ratios, with Student's interval of their logarithms. Each
/// round has loaded its models anew, so that the interval holds what differs from one loading to
/// the next (where memory lies), which a single round cannot know. {0, inf} below three rounds.
Ratio ratio_of_rounds(std::span<const double> ratios);

}  // namespace quantlens
