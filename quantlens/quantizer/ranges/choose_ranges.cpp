// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/choose_ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/quantizer/ranges/search_range.h"

namespace quantlens {

namespace {

/// What auto chooses from: of those that are as good as the best, the first.
constexpr RangeAlgorithm kCandidates[] = {RangeAlgorithm::minmax, RangeAlgorithm::mse,
                                          RangeAlgorithm::percentile,
                                          RangeAlgorithm::moving_average, RangeAlgorithm::entropy};
/// As good: up to this many times the least error (0.2 dB). Histograms know no better, and a wider
/// range saturates less of what was not seen.
constexpr double kAsGood = 1.05;

/// By how much the range is wider than the elements on the side where there are masks. Softmax
/// reads them, where e^-16 is nothing.
constexpr float kRoomForMasks = 16;

Range mean_extremes(const Moments& moments) {
  return {static_cast<float>(moments.mean_sample_min()),
          static_cast<float>(moments.mean_sample_max())};
}

/// Of the elements of one value.
class Chooser {
 public:
  Chooser(const Distribution& values, const std::optional<Range>& means, const Scheme& scheme)
      : values_(values), means_(means), scheme_(scheme) {}

  std::optional<ChosenRange> choose(const RangeChoice& choice) const {
    auto chosen = choice.algorithm == RangeAlgorithm::auto_ ? std::optional(best(choice))
                                                            : by(choice.algorithm, choice);
    if (chosen && values_.has_masks_below()) chosen->range.min -= kRoomForMasks;
    if (chosen && values_.has_masks_above()) chosen->range.max += kRoomForMasks;
    return chosen;
  }

 private:
  std::optional<ChosenRange> by(RangeAlgorithm algorithm, const RangeChoice& choice) const {
    const std::optional<Range> range = range_by(algorithm, choice);
    return range ? std::optional(ChosenRange{*range, algorithm}) : std::nullopt;
  }

  std::optional<Range> range_by(RangeAlgorithm algorithm, const RangeChoice& choice) const {
    const Range& all = values_.extremes();
    if (algorithm == RangeAlgorithm::minmax || all.min == all.max) return all;
    if (algorithm == RangeAlgorithm::moving_average) {
      if (!means_) return std::nullopt;
      return Range{std::max(means_->min, all.min), std::min(means_->max, all.max)};
    }
    if (algorithm == RangeAlgorithm::percentile) {
      return percentile_range(values_, choice.percentile / 100, scheme_.symmetric);
    }
    return algorithm == RangeAlgorithm::mse ? least_error_range(values_, scheme_)
                                            : entropy_range(values_, scheme_);
  }

  ChosenRange best(const RangeChoice& choice) const {
    struct Candidate {
      ChosenRange chosen;
      double error;
    };
    std::vector<Candidate> candidates;
    for (const RangeAlgorithm algorithm : kCandidates) {
      const std::optional<ChosenRange> one = by(algorithm, choice);
      if (one) candidates.push_back({*one, expected_error(values_, one->range, scheme_)});
    }
    const double least = std::ranges::min_element(candidates, {}, &Candidate::error)->error;
    return std::ranges::find_if(candidates,
                                [&](const Candidate& one) { return one.error <= kAsGood * least; })
        ->chosen;
  }

  const Distribution& values_;
  const std::optional<Range>& means_;
  Scheme scheme_;
};

bool is_mask(const Range& range) {
  return range.min <= -kMask || range.max >= kMask;
}

/// Nothing where extremes alone are known, and those of masks.
std::optional<ValueRange> range_without_histogram(const ValueStats& stats,
                                                  const RangeChoice& choice) {
  const Range extremes{stats.moments.min(), stats.moments.max()};
  if (needs_histograms(choice.algorithm) && extremes.min != extremes.max) {
    throw Error(Errc::bad_input,
                fmt::format("the statistics of '{}' have no histogram, which {} looks at; "
                            "calibrate again with this algorithm",
                            printable(stats.value), word(choice.algorithm)));
  }
  if (is_mask(extremes)) return {};
  const Range range =
      choice.algorithm == RangeAlgorithm::moving_average ? mean_extremes(stats.moments) : extremes;
  return ValueRange{.value = stats.value,
                    .min = range.min,
                    .max = range.max,
                    .algorithm = choice.algorithm,
                    .asked = choice.algorithm,
                    .expected_mse = {}};
}

std::optional<ValueRange> range_of(const ValueStats& stats, const RangeChoice& choice,
                                   const Scheme& scheme) {
  if (stats.moments.count() == 0) return {};
  if (stats.histogram.empty()) return range_without_histogram(stats, choice);
  const Distribution values(stats.histogram, {stats.moments.min(), stats.moments.max()});
  const ChosenRange chosen =
      choose_range(values, mean_extremes(stats.moments), choice, scheme).value();
  return ValueRange{.value = stats.value,
                    .min = chosen.range.min,
                    .max = chosen.range.max,
                    .algorithm = chosen.algorithm,
                    .asked = choice.algorithm,
                    .expected_mse = expected_error(values, chosen.range, scheme)};
}

RangeChoice known(RangeChoice choice) {
  if (choice.algorithm == RangeAlgorithm::kl) choice.algorithm = RangeAlgorithm::entropy;
  return choice;
}

}  // namespace

bool needs_histograms(RangeAlgorithm algorithm) {
  return algorithm != RangeAlgorithm::minmax && algorithm != RangeAlgorithm::moving_average;
}

std::optional<ChosenRange> choose_range(const Distribution& values,
                                        const std::optional<Range>& means,
                                        const RangeChoice& choice, const Scheme& scheme) {
  return Chooser(values, means, scheme).choose(choice);
}

Ranges choose_ranges(const TapState& statistics, const RangeOptions& options) {
  const RangeChoice usual = known(options.usual);
  Ranges ranges{
      .model = statistics.model, .samples = statistics.samples.size(), .values = {}, .empty = {}};
  for (const ValueStats& stats : statistics.values) {
    if (!options.values.empty() && !options.values.contains(stats.value)) continue;
    const auto own = options.of_value.find(stats.value);
    const RangeChoice choice = own == options.of_value.end() ? usual : known(own->second);
    const Scheme scheme = code_scheme(options.kernels, options.scheme, stats.moments.min() < 0);
    if (std::optional<ValueRange> range = range_of(stats, choice, scheme)) {
      ranges.values.push_back(std::move(*range));
    } else {
      ranges.empty.push_back(stats.value);
    }
  }
  return ranges;
}

}  // namespace quantlens
