// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quantlens {
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

}  // namespace quantlens
