// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/least_error.h"

#include <algorithm>
#include <array>

#include "quantlens/stats/channel.h"

namespace quantlens {
namespace {

constexpr int kNarrowest = 40, kCoarse = 5, kFine = 1;  // percent of the full range

/// Sum of squared differences between values and what their codes stand for.
double squared_error(std::span<const float> values, const QParams& params, CodeRange limits) {
  constexpr std::size_t kLanes = 16;   // summed apart, so that they are summed at once
  constexpr float kRound = 0x1.8p23F;  // what is added and taken away leaves an integer
  const float scale = params.scale, inverse = 1 / params.scale;
  const auto low = static_cast<float>(limits.min - params.zero_point);
  const auto high = static_cast<float>(limits.max - params.zero_point);
  const auto error = [=](float value) {
    const float steps = (std::min(std::max(value * inverse, low), high) + kRound) - kRound;
    const float difference = value - steps * scale;
    return difference * difference;
  };
  std::array<float, kLanes> lanes{};
  double sum = 0;
  const std::size_t whole = values.size() - values.size() % kLanes;
  for (std::size_t i = 0; i < whole;) {
    constexpr std::size_t kBlock = 256 * kLanes;  // few enough for sums in float
    const std::size_t end = std::min(whole, i + kBlock);
    lanes.fill(0);
    for (; i < end; i += kLanes) {
      for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += error(values[i + k]);
    }
    for (const float lane : lanes) sum += lane;
  }
  for (const float value : values.subspan(whole)) sum += error(value);
  return sum;
}

/// The search for one set of values.
class ErrorSearch {
 public:
  ErrorSearch(std::span<const float> values, const Range& range, const Scheme& scheme)
      : values_(values),
        scheme_(scheme),
        limits_(code_limits(scheme.dtype)),
        range_{.min = std::min(range.min, 0.0F), .max = std::max(range.max, 0.0F)},
        best_(choose_params(range_, scheme)),
        error_(squared_error(values, best_, limits_)) {}

  double error() const { return error_; }
  QParams run() {
    if (range_.min == range_.max || code_range_is_smaller()) return best_;
    along(100, [](int percent) { return Shares{percent, percent}; });
    if (!scheme_.symmetric) {
      along(shares_.min, [this](int percent) { return Shares{percent, shares_.max}; });
      along(shares_.max, [this](int percent) { return Shares{shares_.min, percent}; });
    }
    return best_;
  }

 private:
  /// Of each end, in percent.
  struct Shares {
    int min = 100, max = 100;
  };

  static float share_of(float end, int percent) { return end * static_cast<float>(percent) / 100; }

  // Symmetric codes leave one out by definition.
  bool code_range_is_smaller() const {
    const CodeRange used = code_range(scheme_);
    return used.max < limits_.max || used.min > limits_.min + (scheme_.symmetric ? 1 : 0);
  }

  /// `of` gives both shares for one that is tried; the best so far has `middle`.
  template <class Of>
  void along(int middle, const Of& of) {
    const auto offer_all = [&](int from, int to, int step) {
      for (int percent = std::min(from, 100); percent >= to; percent -= step) {
        if (offer(of(percent))) middle = percent;
      }
    };
    offer_all(100, kNarrowest, kCoarse);
    const int found = middle;
    offer_all(found + kCoarse - kFine, found - kCoarse + kFine, kFine);
  }

  bool offer(const Shares& shares) {
    const QParams params = choose_params(
        {.min = share_of(range_.min, shares.min), .max = share_of(range_.max, shares.max)},
        scheme_);
    const double error = squared_error(values_, params, limits_);
    if (!(error < error_)) return false;
    error_ = error;
    best_ = params;
    shares_ = shares;
    return true;
  }

  std::span<const float> values_;
  const Scheme& scheme_;
  CodeRange limits_;
  Range range_;
  Shares shares_;
  QParams best_;
  double error_;
};

}  // namespace

FittedParams least_error_params(const Tensor& values, const Scheme& scheme) {
  const std::vector<Range> ranges = extremes(values, scheme.axis);
  const std::span<const float> all = values.data<float>();
  AxisLayout layout{.outer = 1, .channels = 1, .inner = all.size()};
  if (scheme.axis) layout = axis_layout(values.shape(), *scheme.axis);
  FittedParams fitted;
  std::vector<float> channel;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    channel.clear();
    for (std::size_t o = 0; o < layout.outer; ++o) {
      const auto run = all.subspan((o * layout.channels + c) * layout.inner, layout.inner);
      channel.insert(channel.end(), run.begin(), run.end());
    }
    ErrorSearch search(channel, ranges[c], scheme);
    fitted.full_error += search.error();
    fitted.params.push_back(search.run());
    fitted.error += search.error();
  }
  return fitted;
}

}  // namespace quantlens
