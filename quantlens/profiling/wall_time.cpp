// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/wall_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr double kNormal95 = 1.959963984540054;

double sorted_quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::array<double, 2> median_interval(const std::vector<double>& sorted) {
  const auto n = static_cast<double>(sorted.size());
  if (sorted.empty()) return {0, 0};
  if (sorted.size() < 6) return {sorted.front(), sorted.back()};
  const double reach = kNormal95 * std::sqrt(n) / 2;
  const double low = std::max(0.0, std::floor(n / 2 - reach));
  const double high = std::min(n - 1, std::ceil(n / 2 + reach));
  return {sorted[static_cast<std::size_t>(low)], sorted[static_cast<std::size_t>(high)]};
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return sorted_quantile(values, q);
}

std::vector<std::size_t> middle_half(std::span<const double> runs_us) {
  std::vector<std::size_t> order(runs_us.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs_us[i]; });
  const std::size_t quarter = order.size() / 4;
  std::vector<std::size_t> middle(order.begin() + static_cast<std::ptrdiff_t>(quarter),
                                  order.end() - static_cast<std::ptrdiff_t>(quarter));
  std::ranges::sort(middle);
  return middle;
}

WallTime wall_time(std::vector<double> runs_us) {
  WallTime wall{.runs = runs_us.size()};
  if (runs_us.empty()) return wall;
  const std::vector<std::size_t> middle = middle_half(runs_us);
  for (const std::size_t i : middle) wall.mean_us += runs_us[i];
  wall.mean_us /= static_cast<double>(middle.size());
  std::ranges::sort(runs_us);
  wall.median_us = sorted_quantile(runs_us, 0.5);
  wall.median_interval = median_interval(runs_us);
  wall.p90_us = sorted_quantile(runs_us, 0.90);
  wall.p95_us = sorted_quantile(runs_us, 0.95);
  wall.p99_us = sorted_quantile(runs_us, 0.99);
  return wall;
}

double round_ratio(std::span<const double> first, std::span<const double> second) {
  std::vector<double> ratios(first.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = second[i] / first[i];
  return quantile(std::move(ratios), 0.5);
}

Ratio ratio_of_rounds(std::span<const double> ratios) {
  const auto mean_log = [&](std::span<const std::size_t> rounds) {
    double sum = 0;
    for (const std::size_t i : rounds) sum += std::log(ratios[i]);
    return sum / static_cast<double>(rounds.size());
  };
  std::vector<std::size_t> all(ratios.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (all.empty()) return {1, {0, kInfinity}};
  const double whole = mean_log(all);
  const std::array<double, 2> interval =
      jackknife_interval(whole, without_each(ratios.size(), mean_log), {-kInfinity, kInfinity});
  return {std::exp(whole), {std::exp(interval[0]), std::exp(interval[1])}};
}

}  // namespace quantlens
