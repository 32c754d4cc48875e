// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "quantlens/stats/samples.h"

namespace quantlens {

/// A figure of the items whose indices are given.
using ItemsFigure = std::function<double(std::span<const std::size_t>)>;

/// The figure without each of up to 200 groups of items 0..count-1 (i belongs to group i modulo
/// their number).
std::vector<double> without_each(std::size_t count, const ItemsFigure& figure);

/// A variance and what is known of it.
struct JackknifeVariance {
  double value = 0;
  double freedom = 0;  ///< degrees of freedom, 1 at least
};

/// The jackknife's variance of a figure that is `without` of all but each group (Efron and Stein,
/// 1981). Where a few groups make most of it, it is known less well than from as many normal ones:
/// its degrees of freedom follow the kurtosis of the groups (the variance of a variance: Cramer,
/// 1946, 27.4). REQUIRES: two groups or more, all finite.
JackknifeVariance jackknife_variance(std::span<const double> without);

/// The probability that a value of Student's t distribution is farther from 0 than t.
double chance_of(double t, double freedom);

/// Student's t of a 95 % interval.
double student_t(double freedom);

/// 95 % interval, within `bounds`, of a figure that is `whole` of all samples and `without` of all
/// but each group: Student's t times the standard error to both sides. Fewer than three groups tell
/// nothing: `bounds`. REQUIRES: no NaN.
std::array<double, 2> jackknife_interval(double whole, std::span<const double> without,
                                         std::array<double, 2> bounds);

/// Whether the samples cannot tell a difference from 0: its interval holds that. Of two figures it
/// is paired where both are without the same groups. REQUIRES: no NaN.
bool is_within_chance(double difference, std::span<const double> without);

/// 95 % interval of a rate, 0..1, of items that are not independent inside a group: Wilson's, of as
/// many independent ones as would have the jackknife's standard error. It never leaves 0..1, and is
/// as skewed as small rates are. Fewer than three groups tell nothing: 0..1. REQUIRES: no NaN.
std::array<double, 2> grouped_rate_interval(double whole, std::span<const double> without);

/// Leaves out no block.
inline constexpr std::size_t kNoBlock = kBlocks;

/// How many samples each block (block_of) holds: neither the order of arrival nor a split of the
/// data changes what is left out together.
class SampleBlocks {
 public:
  void count(std::uint64_t sample) { ++samples_[block_of(sample)]; }
  void count(const SampleSet& samples);
  std::uint64_t samples() const;
  /// `figure` without each block that holds samples.
  std::vector<double> without_each(const std::function<double(std::size_t)>& figure) const;

 private:
  std::array<std::uint64_t, kBlocks> samples_{};
};

}  // namespace quantlens
