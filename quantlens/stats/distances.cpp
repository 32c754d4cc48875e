// SPDX-License-Identifier: Apache-2.0
// The distances that PairStats derives from its sums; docs/metrics.md gives their formulas.
#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/stats/moments_of.h"
#include "quantlens/stats/pair_stats.h"

namespace quantlens {

double PairStats::mse() const {
  if (is_all_nonfinite()) return std::numeric_limits<double>::infinity();
  const Block sums = total();
  return mean_of(sums.finite, sums.ee.value());
}

double PairStats::mse_normalized() const {
  const Block sums = total();
  const double range_x = double{extremes_.max_x} - double{extremes_.min_x};
  const double range_y = double{extremes_.max_y} - double{extremes_.min_y};
  if (sums.finite == 0 || range_x == 0 || range_y == 0) return 0;
  // (x - min_x) / range_x - (y - min_y) / range_y = a (e - shift) - b (y - min_y), where e = x - y:
  // in terms of e little cancels when the two sides are near each other.
  const double n = static_cast<double>(sums.finite);
  const double a = 1 / range_x;
  const double b = 1 / range_y - a;
  const double min_y = extremes_.min_y;
  const double shift = double{extremes_.min_x} - min_y;
  const double y = sums.y.value() / n;
  const double yy = sums.yy.value() / n;
  const double e = (sums.x.value() - sums.y.value()) / n;
  const double ee = sums.ee.value() / n;
  const double ey = (sums.xx.value() / n - yy - ee) / 2;
  const double squared_e = ee - 2 * shift * e + shift * shift;
  const double squared_y = yy - 2 * min_y * y + min_y * min_y;
  const double product = ey - min_y * e - shift * y + shift * min_y;
  return std::max(0.0, a * a * squared_e - 2 * a * b * product + b * b * squared_y);
}

double PairStats::sqnr_db() const {
  if (is_all_nonfinite()) return -std::numeric_limits<double>::infinity();
  const Block sums = total();
  const double noise = sums.ee.value();
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(sums.xx.value() / noise);
}

double PairStats::cosine() const {
  if (is_all_nonfinite()) return 0;
  const Block sums = total();
  const double xx = sums.xx.value();
  const double yy = sums.yy.value();
  if (xx == 0 || yy == 0) return xx == yy ? 1 : 0;
  const double xy = (xx + yy - sums.ee.value()) / 2;
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double PairStats::clip_rate() const {
  std::uint64_t clipped = 0;
  for (const Block& block : blocks_) clipped += block.clipped;
  return mean_of(count(), static_cast<double>(clipped));
}

double PairStats::mean_x() const {
  const Block sums = total();
  return mean_of(sums.finite, sums.x.value());
}

double PairStats::mean_y() const {
  const Block sums = total();
  return mean_of(sums.finite, sums.y.value());
}

double PairStats::variance_x() const {
  const Block sums = total();
  return variance_of(sums.finite, sums.x.value(), sums.xx.value());
}

double PairStats::variance_y() const {
  const Block sums = total();
  return variance_of(sums.finite, sums.y.value(), sums.yy.value());
}

}  // namespace quantlens
