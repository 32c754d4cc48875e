// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/sqnr_difference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

std::optional<JackknifeVariance> variance_of(const BlockFigure& figure) {
  const std::optional<std::vector<double>> without = finite_without(figure);
  return without ? std::optional(jackknife_variance(*without)) : std::nullopt;
}

/// Welch's.
JackknifeVariance sum_of(const JackknifeVariance& a, const JackknifeVariance& b) {
  const double value = a.value + b.value;
  if (!(value > 0)) return {0, a.freedom + b.freedom};
  return {value, value * value / (a.value * a.value / a.freedom + b.value * b.value / b.freedom)};
}

void judge_by(const JackknifeVariance& variance, SqnrDifference& difference) {
  const double error = std::sqrt(variance.value);
  const double half = student_t(variance.freedom) * error;
  difference.interval = Interval{difference.db - half, difference.db + half};
  difference.chance = difference.db == 0 ? 1 : 0;
  if (error > 0) {
    const double t = difference.db / error;
    difference.chance = std::isfinite(t) ? chance_of(t, variance.freedom) : 0;
  }
}

BlockFigure minus(const BlockFigure& b, const BlockFigure& a) {
  BlockFigure difference{.whole = b.whole - a.whole, .without = {}, .blocks = a.blocks | b.blocks};
  for (std::size_t i = 0; i < kBlocks; ++i) difference.without[i] = b.without[i] - a.without[i];
  return difference;
}

/// Whether a figure is of its kind, an infinity or finite, whatever block is left out.
bool is_steady(const BlockFigure& figure) {
  if (!has_enough_blocks(figure.blocks)) return false;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const bool is_kept = std::isinf(figure.whole) ? figure.without[b] == figure.whole
                                                  : std::isfinite(figure.without[b]);
    if ((figure.blocks >> b & 1U) != 0 && !is_kept) return false;
  }
  return true;
}

/// The greatest chance that is still told as a difference.
double limit_of(std::span<const SqnrDifference> differences) {
  std::vector<double> chances;
  for (const SqnrDifference& one : differences)
    if (one.chance) chances.push_back(*one.chance);
  std::ranges::sort(chances);
  for (std::size_t k = chances.size(); k > 0; --k) {
    const double limit = kFalseShare * static_cast<double>(k) / static_cast<double>(chances.size());
    if (chances[k - 1] <= limit) return chances[k - 1];
  }
  return -1;
}

ComparisonVerdict verdict_of(const SqnrDifference& one, double limit) {
  if (std::isnan(one.db)) return ComparisonVerdict::unknown;
  if (one.db == 0) return ComparisonVerdict::equal;
  if (one.chance && *one.chance <= limit && std::abs(one.db) >= kMaterialDb)
    return one.db > 0 ? ComparisonVerdict::better : ComparisonVerdict::worse;
  if (one.interval && (*one.interval)[0] >= -kMaterialDb && (*one.interval)[1] <= kMaterialDb)
    return ComparisonVerdict::equal;
  return ComparisonVerdict::undecided;
}

}  // namespace

SqnrDifference certain_difference(bool is_better) {
  const double infinity = std::numeric_limits<double>::infinity();
  return {.db = is_better ? infinity : -infinity, .interval = {}, .paired = false, .chance = 0};
}

SqnrDifference sqnr_difference(double a, double b) {
  return {.db = a == b ? 0 : b - a, .interval = {}, .paired = false, .chance = {}};
}

SqnrDifference sqnr_difference(const BlockFigure& a, const BlockFigure& b, bool same_samples) {
  SqnrDifference difference = sqnr_difference(a.whole, b.whole);
  difference.paired = same_samples && a.blocks == b.blocks;
  if (std::isnan(difference.db) || (std::isinf(a.whole) && a.whole == b.whole)) return difference;
  if (std::isinf(difference.db)) {
    if (is_steady(a) && is_steady(b)) difference.chance = 0;
    return difference;
  }
  if (difference.paired) {
    if (const auto variance = variance_of(minus(b, a))) judge_by(*variance, difference);
    return difference;
  }
  const auto of_a = variance_of(a), of_b = variance_of(b);
  if (of_a && of_b) judge_by(sum_of(*of_a, *of_b), difference);
  return difference;
}

std::vector<ComparisonVerdict> verdicts(std::span<const SqnrDifference> differences) {
  const double limit = limit_of(differences);
  std::vector<ComparisonVerdict> all;
  all.reserve(differences.size());
  for (const SqnrDifference& one : differences) all.push_back(verdict_of(one, limit));
  return all;
}

}  // namespace quantlens
