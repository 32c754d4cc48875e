// SPDX-License-Identifier: Apache-2.0
// The distances that PairStats derives from its sums; docs/metrics.md gives their formulas.
#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/stats/moments_of.h"
#include "quantlens/stats/pair_stats.h"

namespace quantlens {

double PairSums::mse() const {
  if (is_all_nonfinite()) return std::numeric_limits<double>::infinity();
  return mean_of(finite, ee);
}

double PairSums::sqnr_db() const {
  if (is_all_nonfinite()) return -std::numeric_limits<double>::infinity();
  if (ee == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(xx / ee);
}

double PairSums::cosine() const {
  if (is_all_nonfinite()) return 0;
  if (xx == 0 || yy == 0) return xx == yy ? 1 : 0;
  const double xy = (xx + yy - ee) / 2;
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double PairSums::fisher_z() const {
  const double difference = std::sqrt(xx) - std::sqrt(yy);
  const double below_one =  // 1 - cosine, of which the difference to 1 would keep few digits
      (ee - difference * difference) / (2 * std::sqrt(xx) * std::sqrt(yy));
  return std::log((2 - below_one) / below_one) / 2;
}

double PairSums::clip_rate() const {
  return mean_of(finite, static_cast<double>(clipped));
}

PairSums PairStats::sums() const {
  PairSums sums;
  ExactSum xx, yy, ee;
  for (const Block& block : blocks_) {
    sums.finite += block.finite;
    sums.nonfinite += block.nonfinite;
    sums.clipped += block.clipped;
    if (block.finite == 0) continue;
    xx.merge(block.xx);
    yy.merge(block.yy);
    ee.merge(block.ee);
  }
  sums.xx = xx.value();
  sums.yy = yy.value();
  sums.ee = ee.value();
  return sums;
}

double PairStats::mse() const {
  return sums().mse();
}
double PairStats::sqnr_db() const {
  return sums().sqnr_db();
}
double PairStats::cosine() const {
  return sums().cosine();
}
double PairStats::clip_rate() const {
  return sums().clip_rate();
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
