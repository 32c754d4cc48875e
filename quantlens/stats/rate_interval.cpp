// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/rate_interval.h"

#include <algorithm>
#include <cmath>

namespace quantlens {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution lie below

/// The correlation of the two answers; a positive one is drawn towards 0 by half a sample.
double correlation(double both, double gained, double lost, double neither) {
  const double product = (both + gained) * (lost + neither) * (both + lost) * (gained + neither);
  if (product == 0) return 0;
  const double samples = both + gained + lost + neither;
  const double excess = both * neither - gained * lost;
  return (excess > 0 ? std::max(excess - samples / 2, 0.0) : excess) / std::sqrt(product);
}

/// The length of the two distances put together under the correlation.
double joined(double a, double b, double phi) {
  return std::sqrt(std::max(a * a - 2 * phi * a * b + b * b, 0.0));
}

}  // namespace

std::array<double, 2> rate_interval(std::uint64_t hits, std::uint64_t samples) {
  if (samples == 0) return {0, 1};
  const auto n = static_cast<double>(samples);
  const auto k = static_cast<double>(hits);
  const double centre = (k + kZ * kZ / 2) / (n + kZ * kZ);
  const double half = kZ / (n + kZ * kZ) * std::sqrt(k * (n - k) / n + kZ * kZ / 4);
  // At the ends the formula gives exactly 0 and 1, but for rounding.
  return {hits == 0 ? 0 : std::max(centre - half, 0.0),
          hits == samples ? 1 : std::min(centre + half, 1.0)};
}

std::array<double, 2> paired_rate_interval(std::uint64_t both, std::uint64_t gained,
                                           std::uint64_t lost, std::uint64_t neither) {
  const std::uint64_t samples = both + gained + lost + neither;
  if (samples == 0) return {-1, 1};
  const auto n = static_cast<double>(samples);
  const double second = static_cast<double>(both + gained) / n;
  const double first = static_cast<double>(both + lost) / n;
  const auto [second_low, second_high] = rate_interval(both + gained, samples);
  const auto [first_low, first_high] = rate_interval(both + lost, samples);
  const double phi = correlation(static_cast<double>(both), static_cast<double>(gained),
                                 static_cast<double>(lost), static_cast<double>(neither));
  const double difference = (static_cast<double>(gained) - static_cast<double>(lost)) / n;
  const double below = joined(second - second_low, first_high - first, phi);
  const double above = joined(second_high - second, first - first_low, phi);
  return {std::max(difference - below, -1.0), std::min(difference + above, 1.0)};
}

double rule_of_three(double most, std::uint64_t samples) {
  constexpr double kThree = 3;
  return most * kThree / static_cast<double>(std::max<std::uint64_t>(samples, 1));
}

}  // namespace quantlens
