// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/distribution.h"

#include <algorithm>
#include <cmath>

#include "quantlens/quant/rounding.h"

namespace quantlens {
namespace {

constexpr double kNearlyAll = 0.9999;
constexpr double kParts = 2048;  // of what holds nearly all elements: no bin is much narrower

bool is_zero(const FloatHistogram::Bin& bin) {
  return bin.low < 0 && bin.high > 0;
}

/// The zero bin stays by itself, so does a single value: it may be a spike.
bool may_join(const FloatHistogram::Bin& a, const FloatHistogram::Bin& b) {
  return a.low * b.high > 0 && a.low < a.high && b.low < b.high;
}

/// An edge of the zero bin is zero.
double edge(double value) {
  return std::abs(value) <= 0x1p-126 ? 0 : value;
}

/// Integral of the squared distance to the nearest whole number, from some whole number's lower
/// half on: each whole number contributes 1/12.
double rounding_integral(double t) {
  const double nearest = nearest_whole(t);
  const double offset = t - nearest;
  return nearest * (1.0 / 12) + offset * offset * offset * (1.0 / 3);
}

/// Of values spread evenly over low..high that all become `bound`.
double saturation_error(double low, double high, double bound) {
  const double a = low - bound;
  const double b = high - bound;
  return (a * a + a * b + b * b) / 3;
}

}  // namespace

Distribution::Distribution(const FloatHistogram& histogram, Range extremes) {
  masks_below_ = extremes.min <= -kMask;
  masks_above_ = extremes.max >= kMask;
  for (Bin bin : histogram.bins()) {
    if (bin.low >= kMask || bin.high <= -kMask) continue;
    if (!is_zero(bin)) {
      bin.low = std::max(bin.low, static_cast<double>(extremes.min));
      bin.high = std::min(bin.high, static_cast<double>(extremes.max));
    }
    count_ += static_cast<double>(bin.count);
    elements_.push_back(bin);
  }
  if (elements_.empty()) return;
  extremes_ = extremes;
  if (masks_below_) extremes_.min = static_cast<float>(edge(elements_.front().low));
  if (masks_above_) extremes_.max = static_cast<float>(edge(elements_.back().high));
  const double least =
      (quantile_of_bins(elements_, kNearlyAll) - quantile_of_bins(elements_, 1 - kNearlyAll)) /
      kParts;
  for (const Bin& bin : elements_) {
    if (!bins_.empty() && bin.high - bins_.back().low <= least && may_join(bins_.back(), bin)) {
      bins_.back().high = bin.high;
      bins_.back().count += bin.count;
    } else {
      bins_.push_back(bin);
    }
  }
}

Distribution::Error Distribution::expected_error(const QParams& params,
                                                 const CodeRange& codes) const {
  const double step = std::abs(double{params.scale});  // a foreign file's may be below 0
  const double steps = 1 / step;
  const double one = params.scale * static_cast<double>(codes.min - params.zero_point);
  const double other = params.scale * static_cast<double>(codes.max - params.zero_point);
  const double low = std::min(one, other);
  const double high = std::max(one, other);
  Error sum;
  double in_steps = 0;
  for (const Bin& bin : bins_) {
    if (is_zero(bin)) continue;
    const double width = bin.high - bin.low;
    const auto count = static_cast<double>(bin.count);
    if (width <= 0) {  // a single value
      const double rounded = nearest_whole(bin.low * steps) * step;
      const double value = std::clamp(rounded, low, high);
      const double error = count * (bin.low - value) * (bin.low - value);
      (value == rounded ? sum.rounding : sum.saturation) += error;
      continue;
    }
    const double from = std::clamp(low - step / 2, bin.low, bin.high);
    const double to = std::clamp(high + step / 2, bin.low, bin.high);
    const double share = count / width;
    if (from > bin.low) {
      sum.saturation += share * (from - bin.low) * saturation_error(bin.low, from, low);
    }
    if (to > from) {  // values spread evenly, rounded to multiples of the step
      in_steps += share * (rounding_integral(to * steps) - rounding_integral(from * steps));
    }
    if (to < bin.high) {
      sum.saturation += share * (bin.high - to) * saturation_error(to, bin.high, high);
    }
  }
  sum.rounding += step * step * step * in_steps;
  if (count_ > 0) sum = {sum.rounding / count_, sum.saturation / count_};
  return sum;
}

}  // namespace quantlens
