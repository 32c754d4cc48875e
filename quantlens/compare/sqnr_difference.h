// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "quantlens/record/comparison.h"
#include "quantlens/stats/pair_intervals.h"

namespace quantlens {

/// Differences below this are of no account, in dB: a change of 2 % in an op's error.
inline constexpr double kMaterialDb = 0.1;

/// Of all ops that are told as better or worse, so many may be so by chance (false discovery rate).
inline constexpr double kFalseShare = 0.05;

/// The difference of two SQNRs, B - A.
struct SqnrDifference {
  double db = 0;                     ///< may be infinite, and NaN where a figure is
  std::optional<Interval> interval;  ///< 95 %, of this one alone
  bool paired = false;
  /// Probability of a difference at least so great where there is none; absent where the samples
  /// say nothing of it.
  std::optional<double> chance;
};

/// `same_samples`: both are of the same ones, so that the jackknife leaves out the same block of
/// both at a time; it is paired if both also hold finite pairs in the same blocks. Else the two
/// variances are added, with Welch's degrees of freedom. An infinity beside what is finite is no
/// chance if no block makes it so alone. No interval where fewer than three blocks hold pairs.
SqnrDifference sqnr_difference(const BlockFigure& a, const BlockFigure& b, bool same_samples);

/// Of the difference of two figures that have no blocks: without interval.
SqnrDifference sqnr_difference(double a, double b);

/// Of an activation that is NaN or infinite in one run where the other has numbers, as the float
/// model has: no SQNR of the finite rest makes up for that.
SqnrDifference certain_difference(bool is_better);

/// What is said of all of them at once: by the procedure of Benjamini and Hochberg (1995) those
/// that are told as different are told so falsely in `kFalseShare` of the cases at most, on the
/// average; and they differ by kMaterialDb or more.
std::vector<ComparisonVerdict> verdicts(std::span<const SqnrDifference> differences);

}  // namespace quantlens
