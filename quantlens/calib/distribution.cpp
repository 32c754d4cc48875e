// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/distribution.h"

#include <algorithm>
#include <cmath>

namespace quantlens {
namespace {

constexpr double kParts = 2048;  // of the whole range: no bin is much narrower

/// Integral of the squared distance to the nearest whole number, from some whole number's lower
/// half on: each whole number contributes 1/12.
double rounding_integral(double t) {
  const double nearest = std::nearbyint(t);
  const double offset = t - nearest;
  return nearest / 12 + offset * offset * offset / 3;
}

/// Mean squared error of values spread evenly over low..high that are rounded to multiples of the
/// step.
double rounding_error(double low, double high, double step) {
  const double a = low / step;
  const double b = high / step;
  return step * step * (rounding_integral(b) - rounding_integral(a)) / (b - a);
}

/// Of values spread evenly over low..high that all become `bound`.
double saturation_error(double low, double high, double bound) {
  const double a = low - bound;
  const double b = high - bound;
  return (a * a + a * b + b * b) / 3;
}

}  // namespace

Distribution::Distribution(const FloatHistogram& histogram, Range extremes) : extremes_(extremes) {
  const double least = (static_cast<double>(extremes.max) - extremes.min) / kParts;
  for (FloatHistogram::Bin bin : histogram.bins()) {
    count_ += static_cast<double>(bin.count);
    if (bin.low < 0 && bin.high > 0) {  // the zero bin stays by itself
      bins_.push_back(bin);
      continue;
    }
    bin.low = std::max(bin.low, static_cast<double>(extremes.min));
    bin.high = std::min(bin.high, static_cast<double>(extremes.max));
    const bool same_side = !bins_.empty() && bins_.back().low * bin.high > 0;
    if (same_side && bin.high - bins_.back().low <= least) {
      bins_.back().high = bin.high;
      bins_.back().count += bin.count;
    } else {
      bins_.push_back(bin);
    }
  }
}

double Distribution::expected_error(const QParams& params, const CodeRange& codes) const {
  const double step = params.scale;
  const double low = step * static_cast<double>(codes.min - params.zero_point);
  const double high = step * static_cast<double>(codes.max - params.zero_point);
  double sum = 0;
  for (const FloatHistogram::Bin& bin : bins_) {
    if (bin.low < 0 && bin.high > 0) continue;
    const double width = bin.high - bin.low;
    const auto count = static_cast<double>(bin.count);
    if (width <= 0) {  // a single value
      const double value = std::clamp(std::nearbyint(bin.low / step) * step, low, high);
      sum += count * (bin.low - value) * (bin.low - value);
      continue;
    }
    const double from = std::clamp(low - step / 2, bin.low, bin.high);
    const double to = std::clamp(high + step / 2, bin.low, bin.high);
    double mean = 0;
    if (from > bin.low) mean += (from - bin.low) * saturation_error(bin.low, from, low);
    if (to > from) mean += (to - from) * rounding_error(from, to, step);
    if (to < bin.high) mean += (bin.high - to) * saturation_error(to, bin.high, high);
    sum += count * mean / width;
  }
  return count_ == 0 ? 0 : sum / count_;
}

}  // namespace quantlens
