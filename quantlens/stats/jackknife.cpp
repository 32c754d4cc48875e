// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/jackknife.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace quantlens {
namespace {

constexpr std::size_t kGroups = 200;
constexpr std::size_t kLeastGroups = 3;
constexpr double kUpperTail = 0.975;

/// Of a variance of n values.
double freedom_of(double n, double squares, double fourths) {
  const double kurtosis = squares > 0 ? n * fourths / (squares * squares) : 0;  // 3: normal ones
  return kurtosis > 1 ? std::clamp(2 * n / (kurtosis - 1), 1.0, n - 1) : n - 1;
}

/// Half of the interval. REQUIRES: two groups or more.
double half_width(std::span<const double> without) {
  const JackknifeVariance variance = jackknife_variance(without);
  return student_t(variance.freedom) * std::sqrt(variance.value);
}

}  // namespace

std::vector<double> without_each(std::size_t count, const ItemsFigure& figure) {
  const std::size_t groups = std::min(count, kGroups);
  std::vector<double> figures;
  std::vector<std::size_t> kept;
  for (std::size_t left_out = 0; left_out < groups; ++left_out) {
    kept.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (i % groups != left_out) kept.push_back(i);
    }
    figures.push_back(figure(kept));
  }
  return figures;
}

JackknifeVariance jackknife_variance(std::span<const double> without) {
  const auto n = static_cast<double>(without.size());
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / n;
  double squares = 0, fourths = 0;
  for (const double one : without) {
    const double square = (one - mean) * (one - mean);
    squares += square;
    fourths += square * square;
  }
  return {.value = (n - 1) / n * squares, .freedom = freedom_of(n, squares, fourths)};
}

double student_t(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), kUpperTail);
}

double chance_of(double t, double freedom) {
  return 2 * cdf(complement(boost::math::students_t(freedom), std::abs(t)));
}

std::array<double, 2> jackknife_interval(double whole, std::span<const double> without,
                                         std::array<double, 2> bounds) {
  if (without.size() < kLeastGroups) return bounds;
  const double half = half_width(without);
  return {std::max(whole - half, bounds[0]), std::min(whole + half, bounds[1])};
}

bool is_within_chance(double difference, std::span<const double> without) {
  return without.size() < kLeastGroups || std::abs(difference) <= half_width(without);
}

std::array<double, 2> grouped_rate_interval(double whole, std::span<const double> without) {
  if (without.size() < kLeastGroups) return {0, 1};
  const double variance = whole * (1 - whole);
  if (!(variance > 0)) return {whole, whole};
  const double half = half_width(without);
  const double weight = half * half / variance;  // t^2 over the number of such samples
  const double centre = (whole + weight / 2) / (1 + weight);
  const double reach = std::sqrt(half * half + weight * weight / 4) / (1 + weight);
  return {std::clamp(centre - reach, 0.0, whole), std::clamp(centre + reach, whole, 1.0)};
}

void SampleBlocks::count(const SampleSet& samples) {
  for (const SampleSet::Range& range : samples.ranges()) {
    const std::uint64_t size = range.last - range.first + 1;
    for (std::uint64_t& block : samples_) block += size / kBlocks;
    for (std::uint64_t i = 0; i < size % kBlocks; ++i) count(range.first + i);
  }
}

std::uint64_t SampleBlocks::samples() const {
  return std::accumulate(samples_.begin(), samples_.end(), std::uint64_t{0});
}

std::vector<double> SampleBlocks::without_each(
    const std::function<double(std::size_t)>& figure) const {
  std::vector<double> figures;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    if (samples_[block] > 0) figures.push_back(figure(block));
  }
  return figures;
}

}  // namespace quantlens
