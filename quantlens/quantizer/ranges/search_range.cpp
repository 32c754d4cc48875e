// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/search_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "quantlens/quant/rounding.h"

namespace quantlens {
namespace {

/// Zero is in the reach of all codes: the searches keep that end where it is.
Range with_zero(const Range& range) {
  return {std::min(range.min, 0.F), std::max(range.max, 0.F)};
}

Range shrunk(const Range& range, double low, double high) {
  return {static_cast<float>(range.min * low), static_cast<float>(range.max * high)};
}

using Bin = FloatHistogram::Bin;

bool is_zero(const Bin& bin) {
  return bin.low < 0 && bin.high > 0;
}

/// The element of this rank, from 0 on, to its bin.
double element_of_rank(std::span<const Bin> bins, double rank) {
  double below = 0;
  for (const Bin& bin : bins) {
    const auto count = static_cast<double>(bin.count);
    if (rank < below + count) {
      return is_zero(bin) ? 0 : bin.low + (rank - below + 0.5) / count * (bin.high - bin.low);
    }
    below += count;
  }
  return bins.back().high;
}

/// The element below which a share `p` of them lies, between two of them in proportion, as NumPy's
/// percentile has it. REQUIRES: bins in ascending order, of `count` elements.
double percentile_of(std::span<const Bin> bins, double count, double p) {
  const double rank = p * (count - 1);
  const double whole = std::floor(rank);
  const double first = element_of_rank(bins, whole);
  return first + (rank - whole) * (element_of_rank(bins, whole + 1) - first);
}

/// Of magnitudes, in ascending order.
std::vector<Bin> magnitude_bins(std::span<const Bin> bins) {
  std::vector<Bin> result;
  for (const Bin& bin : bins) {
    const bool negative = bin.high <= 0;
    result.push_back(negative ? Bin{-bin.high, -bin.low, bin.count} : bin);
  }
  std::ranges::sort(result, {}, &Bin::low);
  return result;
}

double x_log_x(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

/// Counts of elements that are not zero, in equal bins over a range.
struct EqualBins {
  Range range;
  std::vector<double> counts;
  std::vector<double> x_log_x;  // of the counts
  double all = 0;

  double width() const {
    return (static_cast<double>(range.max) - range.min) / static_cast<double>(counts.size());
  }
  double middle(std::size_t i) const {
    return range.min + (static_cast<double>(i) + 0.5) * width();
  }
};

/// The bins of the histogram, spread over 2,048 equal ones. REQUIRES: a range of some width.
EqualBins equal_bins(const Distribution& values, const Range& range) {
  constexpr std::size_t kBins = 2048;
  EqualBins equal{.range = range, .counts = std::vector<double>(kBins), .x_log_x = {}};
  const auto position = [&](double value) {
    const double at = (value - range.min) / equal.width();
    return std::clamp(at, 0.0, static_cast<double>(kBins));
  };
  for (const Bin& bin : values.elements()) {
    if (is_zero(bin)) continue;  // zeros are exact, whatever the range
    const auto count = static_cast<double>(bin.count);
    equal.all += count;
    const double begin = position(bin.low);
    const double end = position(bin.high);
    const auto first = std::min(static_cast<std::size_t>(begin), kBins - 1);
    if (end <= static_cast<double>(first + 1)) {
      equal.counts[first] += count;
      continue;
    }
    for (std::size_t i = first; static_cast<double>(i) < end; ++i) {
      const double covered =
          std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i));
      equal.counts[i] += count * covered / (end - begin);
    }
  }
  for (const double count : equal.counts) equal.x_log_x.push_back(x_log_x(count));
  return equal;
}

/// Divergence of what the codes of a range tell from what there is. With a code's elements spread
/// evenly over its bins that hold any, `each` in each, it is the sum of x log(x / each) over all
/// bins; the sums of x log x are made beforehand, so that a code costs one logarithm.
class Divergence {
 public:
  Divergence(const EqualBins& values, const QParams& params, const CodeRange& codes)
      : steps_(1.0 / params.scale),
        low_(params.scale * (static_cast<double>(codes.min - params.zero_point) - 0.5)),
        high_(params.scale * (static_cast<double>(codes.max - params.zero_point) + 0.5)),
        all_(values.all) {
    for (std::size_t i = 0; i < values.counts.size(); ++i) {
      if (values.counts[i] > 0) add(values, i);
    }
    if (above_ > 0 && bins_ > 0) {  // known only now, and of the last bin
      sum_ += x_log_x(last_ + above_) - x_log_x(last_);
      original_ += above_;
    }
    close();
  }

  /// Of the two as probabilities: what saturates is no part of the quantized one. Infinite where
  /// more than a tenth does, zeros apart: what is left would tell nothing, but agree with itself.
  double value() const {
    if (saturated_ > kMostSaturated * all_) return std::numeric_limits<double>::infinity();
    return sum_ / all_ + std::log((all_ - saturated_) / all_);
  }

 private:
  double code_of(double x) const { return nearest_whole(x * steps_); }

  void add(const EqualBins& values, std::size_t i) {
    const double middle = values.middle(i);
    const double count = values.counts[i];
    if (middle < low_ || middle > high_) {
      (middle < low_ ? below_ : above_) += count;
      saturated_ += count;
      return;
    }
    if (const double code = code_of(middle); code != code_) {
      close();
      code_ = code;
    }
    last_ = count + below_;
    sum_ += below_ > 0 ? x_log_x(last_) : values.x_log_x[i];
    below_ = 0;
    original_ += last_;
    inside_ += count;
    bins_ += 1;
  }

  void close() {
    if (bins_ == 0) return;
    sum_ -= original_ * std::log(inside_ / bins_);
    original_ = inside_ = bins_ = 0;
  }

  static constexpr double kMostSaturated = 0.1;

  double steps_, low_, high_, all_;  // steps a unit
  double below_ = 0, above_ = 0;     // saturated, and in no bin yet
  double saturated_ = 0;
  double sum_ = 0;
  // The code at hand: its elements with those that saturate at its bins, and without; its bins.
  double code_ = 0;
  double original_ = 0, inside_ = 0, bins_ = 0;
  double last_ = 0;  // elements of its last bin
};

/// The factor of at most 1 that makes `error` least: that at hand, or the best of a coarse walk
/// down from 1, as long as saturation alone is below the least error, then of ever finer steps
/// around it.
template <class Error>
double best_factor(double at_hand, const Error& error) {
  double best = at_hand;
  double least = error(at_hand).sum();
  const auto look = [&](double factor) {
    const Distribution::Error now = error(factor);
    if (now.sum() < least) {
      least = now.sum();
      best = factor;
    }
    return now.saturation <= least;
  };
  constexpr double kRatio = 0.9;
  double factor = 1;
  for (int i = 0; i < 200 && look(factor); ++i) factor *= kRatio;  // to 1e-9 at most
  double width = 0.05;
  for (int i = 0; i < 6; ++i, width /= 2) {  // to 0.16 %
    const double middle = best;
    look(std::min(1.0, middle * (1 + width)));
    look(middle * (1 - width));
  }
  return best;
}

}  // namespace

Range percentile_range(const Distribution& values, double kept, bool symmetric) {
  Range range;
  if (symmetric) {
    const std::vector<Bin> magnitudes = magnitude_bins(values.elements());
    const auto reach = static_cast<float>(percentile_of(magnitudes, values.count(), kept));
    range = {-reach, reach};
  } else {
    const double cut = (1 - kept) / 2;
    range = {static_cast<float>(percentile_of(values.elements(), values.count(), cut)),
             static_cast<float>(percentile_of(values.elements(), values.count(), 1 - cut))};
  }
  range = {std::max(range.min, values.extremes().min), std::min(range.max, values.extremes().max)};
  return range.min == range.max || kept == 1 ? values.extremes() : range;
}

Range entropy_range(const Distribution& values, const Scheme& scheme) {
  constexpr int kCandidates = 128;
  const Range whole = with_zero(values.extremes());
  if (whole.min == whole.max) return whole;
  const EqualBins bins = equal_bins(values, whole);
  Range best = whole;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCandidates; ++i) {
    const double factor = std::exp2(-5.0 * i / (kCandidates - 1));
    const Range range = shrunk(whole, factor, factor);
    const double divergence =
        Divergence(bins, choose_params(range, scheme), code_range(scheme)).value();
    if (divergence >= least) continue;
    least = divergence;
    best = range;
  }
  return best;
}

Range least_error_range(const Distribution& values, const Scheme& scheme) {
  const Range whole = with_zero(values.extremes());
  const CodeRange codes = code_range(scheme);
  const auto error = [&](double low, double high) {
    return values.expected_error(choose_params(shrunk(whole, low, high), scheme), codes);
  };
  const double both = best_factor(1, [&](double factor) { return error(factor, factor); });
  if (scheme.symmetric) return shrunk(whole, both, both);
  double low = both;
  double high = both;
  for (int round = 0; round < 2; ++round) {
    if (whole.max > 0) high = best_factor(high, [&](double factor) { return error(low, factor); });
    if (whole.min < 0) low = best_factor(low, [&](double factor) { return error(factor, high); });
  }
  return shrunk(whole, low, high);
}

double expected_error(const Distribution& values, const Range& range, const Scheme& scheme) {
  return values.expected_error(choose_params(range, scheme), code_range(scheme)).sum();
}

}  // namespace quantlens
