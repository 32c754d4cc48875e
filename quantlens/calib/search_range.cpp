// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/search_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace quantlens {
namespace {

/// Codes reach zero in any case, so an end on the other side of it is no end to move.
Range shrunk(const Range& range, double low, double high) {
  return {static_cast<float>(std::min(range.min, 0.0F) * low),
          static_cast<float>(std::max(range.max, 0.0F) * high)};
}

/// The greatest magnitude that a share `kept` of the elements does not exceed.
double magnitude_quantile(const FloatHistogram& histogram, double kept) {
  struct Edge {
    double magnitude;
    std::uint64_t count;
  };
  std::vector<Edge> edges;
  std::uint64_t all = 0;
  for (const FloatHistogram::Bin& bin : histogram.bins()) {
    const bool is_zero = bin.low < 0 && bin.high > 0;
    edges.push_back({is_zero ? 0 : std::max(std::abs(bin.low), std::abs(bin.high)), bin.count});
    all += bin.count;
  }
  std::ranges::sort(edges, {}, &Edge::magnitude);
  double left = kept * static_cast<double>(all);
  for (const Edge& edge : edges) {
    left -= static_cast<double>(edge.count);
    if (left <= 0) return edge.magnitude;
  }
  return edges.back().magnitude;
}

/// Divergence of what the codes of a range tell from what there is.
class Divergence {
 public:
  Divergence(const Distribution& values, const QParams& params, const CodeRange& codes)
      : step_(params.scale),
        low_(step_ * (static_cast<double>(codes.min - params.zero_point) - 0.5)),
        high_(step_ * (static_cast<double>(codes.max - params.zero_point) + 0.5)) {
    for (const FloatHistogram::Bin& bin : values.bins()) add(bin);
    close();
  }

  /// Infinite where the range holds nothing.
  double value(double count) const {
    return is_empty_ ? std::numeric_limits<double>::infinity() : sum_ / count;
  }

 private:
  struct Part {
    double original = 0;  // saturated elements included
    double inside = 0;
    double width = 0;
  };

  double code_of(double x) const { return std::nearbyint(x / step_); }

  void add(const FloatHistogram::Bin& bin) {
    if (bin.low < 0 && bin.high > 0) return;  // zeros are exact, whatever the range
    const double middle = (bin.low + bin.high) / 2;
    const auto count = static_cast<double>(bin.count);
    if (middle < low_) {
      below_ += count;
      return;
    }
    if (middle > high_) {
      above_ += count;
      return;
    }
    const double code = code_of(middle);
    if (parts_.empty() || code != code_) close();
    code_ = code;
    is_empty_ = false;
    parts_.push_back({count + std::exchange(below_, 0), count, bin.high - bin.low});
  }

  // A code's elements, spread over its bins; what saturates above is only known at the end, and
  // belongs to the last bin.
  void close() {
    if (above_ > 0 && !parts_.empty()) parts_.back().original += above_;
    double mass = 0;
    double width = 0;
    for (const Part& part : parts_) {
      mass += part.inside;
      width += part.width;
    }
    for (const Part& part : parts_) {
      if (part.original == 0 || mass == 0 || width == 0) continue;
      sum_ += part.original * std::log(part.original * width / (mass * part.width));
    }
    parts_.clear();
  }

  double step_, low_, high_;
  double code_ = 0;
  bool is_empty_ = true;
  double below_ = 0, above_ = 0;
  double sum_ = 0;
  std::vector<Part> parts_;
};

double error_of(const Distribution& values, const Range& range, const Scheme& scheme) {
  return values.expected_error(choose_params(range, scheme), code_range(scheme));
}

/// The factor below 1 that makes `error` least: a coarse walk, then ever finer ones around the
/// best.
template <class Error>
double best_factor(const Error& error) {
  double best = 1;
  double least = error(1.0);
  const auto look = [&](double factor) {
    const double now = error(factor);
    if (now >= least) return;
    least = now;
    best = factor;
  };
  constexpr double kRatio = 0.9;
  double factor = kRatio;
  for (int i = 0; i < 60; ++i, factor *= kRatio) look(factor);  // to 1/556
  double width = 0.05;
  for (int i = 0; i < 6; ++i, width /= 2) {  // to 0.16 %
    const double middle = best;
    look(std::min(1.0, middle * (1 + width)));
    look(middle * (1 - width));
  }
  return best;
}

}  // namespace

Range percentile_range(const FloatHistogram& histogram, const Range& extremes, double kept,
                       bool symmetric) {
  Range range;
  if (symmetric) {
    const auto reach = static_cast<float>(magnitude_quantile(histogram, kept));
    range = {-reach, reach};
  } else {
    const double cut = (1 - kept) / 2;
    range = {static_cast<float>(histogram.quantile(cut)),
             static_cast<float>(histogram.quantile(1 - cut))};
  }
  return {std::max(range.min, extremes.min), std::min(range.max, extremes.max)};
}

Range entropy_range(const Distribution& values, const Scheme& scheme) {
  constexpr int kCandidates = 128;
  Range best = values.extremes();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCandidates; ++i) {
    const double factor = std::exp2(-5.0 * i / (kCandidates - 1));
    const Range range = shrunk(values.extremes(), factor, factor);
    const double divergence =
        Divergence(values, choose_params(range, scheme), code_range(scheme)).value(values.count());
    if (divergence >= least) continue;
    least = divergence;
    best = range;
  }
  return best;
}

Range least_error_range(const Distribution& values, const Scheme& scheme) {
  const Range whole = values.extremes();
  const auto error = [&](double low, double high) {
    return error_of(values, shrunk(whole, low, high), scheme);
  };
  if (scheme.symmetric) {
    const double both = best_factor([&](double factor) { return error(factor, factor); });
    return shrunk(whole, both, both);
  }
  double low = 1;
  double high = 1;
  for (int round = 0; round < 2; ++round) {
    if (whole.max > 0) high = best_factor([&](double factor) { return error(low, factor); });
    if (whole.min < 0) low = best_factor([&](double factor) { return error(factor, high); });
  }
  return shrunk(whole, low, high);
}

}  // namespace quantlens
