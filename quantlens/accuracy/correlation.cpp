// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quantlens {
namespace {

constexpr std::size_t kGroups = 200;

/// 97.5 % of Student's t distribution lie below, by its expansion around the normal one (Abramowitz
/// and Stegun, 26.7.5); from 5 degrees of freedom on it is right to 0.1 %.
double student_t(double freedom) {
  const double z = 1.959963984540054;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  const double g1 = (z3 + z) / 4;
  const double g2 = (5 * z5 + 16 * z3 + 3 * z) / 96;
  const double g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  return z + (g1 + (g2 + g3 / freedom) / freedom) / freedom;
}

}  // namespace

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (std::size_t i = first; i < end; ++i) result[order[i]] = rank;
    first = end;
  }
  return result;
}

double spearman(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> rank_x = ranks(x);
  const std::vector<double> rank_y = ranks(y);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = rank_x[i] - mean;
    const double b = rank_y[i] - mean;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (xx == 0 || yy == 0) return 0;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::array<double, 2> jackknife_interval(std::size_t count, const ItemsFigure& figure,
                                         std::array<double, 2> bounds) {
  if (count < 3) return bounds;
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
  const auto n = static_cast<double>(groups);
  const double mean = std::accumulate(figures.begin(), figures.end(), 0.0) / n;
  double squares = 0;
  for (const double one : figures) squares += (one - mean) * (one - mean);
  kept.resize(count);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  const double whole = figure(kept);
  const double half = student_t(n - 1) * std::sqrt((n - 1) / n * squares);
  return {std::max(whole - half, bounds[0]), std::min(whole + half, bounds[1])};
}

}  // namespace quantlens
