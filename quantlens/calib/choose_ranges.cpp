// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/choose_ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/calib/search_range.h"

namespace quantlens {

namespace {

// The names of the algorithms in files and recipes.
constexpr std::string_view kMinmax = "minmax";
constexpr std::string_view kMovingAverage = "moving_average";
constexpr std::string_view kPercentile = "percentile";
constexpr std::string_view kEntropy = "entropy";
constexpr std::string_view kMse = "mse";
constexpr std::string_view kAuto = "auto";

/// What auto chooses from: of those that are as good as the best, the first.
constexpr std::string_view kCandidates[] = {kMinmax, kMse, kPercentile, kMovingAverage, kEntropy};
/// As good: up to this many times the least error (0.2 dB). Histograms know no better, and a wider
/// range saturates less of what was not seen.
constexpr double kAsGood = 1.05;

/// By how much the range is wider than the elements on the side where there are masks. Softmax
/// reads them, where e^-16 is nothing.
constexpr float kRoomForMasks = 16;

struct Chosen {
  Range range;
  std::string_view algorithm;
};

Range mean_extremes(const Moments& moments) {
  return {static_cast<float>(moments.mean_sample_min()),
          static_cast<float>(moments.mean_sample_max())};
}

/// Of the elements of one value.
class Chooser {
 public:
  Chooser(const ValueStats& stats, const Scheme& scheme)
      : stats_(stats),
        scheme_(scheme),
        values_(stats.histogram, {stats.moments.min(), stats.moments.max()}) {}

  Chosen choose(const RangeAlgorithm& algorithm) const {
    Chosen chosen = algorithm.name == kAuto
                        ? best(algorithm)
                        : Chosen{range_by(algorithm.name, algorithm), algorithm.name};
    if (values_.has_masks_below()) chosen.range.min -= kRoomForMasks;
    if (values_.has_masks_above()) chosen.range.max += kRoomForMasks;
    return chosen;
  }

  double error(const Range& range) const { return expected_error(values_, range, scheme_); }

 private:
  Range range_by(std::string_view name, const RangeAlgorithm& algorithm) const {
    const Range& all = values_.extremes();
    if (name == kMinmax || all.min == all.max) return all;
    if (name == kMovingAverage) {
      const Range mean = mean_extremes(stats_.moments);
      return {std::max(mean.min, all.min), std::min(mean.max, all.max)};
    }
    if (name == kPercentile) {
      return percentile_range(values_, algorithm.percentile / 100, scheme_.symmetric);
    }
    return name == kMse ? least_error_range(values_, scheme_) : entropy_range(values_, scheme_);
  }

  Chosen best(const RangeAlgorithm& algorithm) const {
    struct Candidate {
      Chosen chosen;
      double error;
    };
    std::vector<Candidate> candidates;
    for (const std::string_view name : kCandidates) {
      const Range range = range_by(name, algorithm);
      candidates.push_back({{range, name}, error(range)});
    }
    const double least = std::ranges::min_element(candidates, {}, &Candidate::error)->error;
    return std::ranges::find_if(candidates,
                                [&](const Candidate& one) { return one.error <= kAsGood * least; })
        ->chosen;
  }

  const ValueStats& stats_;
  Scheme scheme_;
  Distribution values_;
};

bool is_mask(const Range& range) {
  return range.min <= -kMask || range.max >= kMask;
}

/// Nothing where extremes alone are known, and those of masks.
std::optional<ValueRange> range_without_histogram(const ValueStats& stats,
                                                  const RangeAlgorithm& algorithm) {
  const Range extremes{stats.moments.min(), stats.moments.max()};
  if (needs_histograms(algorithm.name) && extremes.min != extremes.max) {
    throw Error(Errc::bad_input,
                fmt::format("the statistics of '{}' have no histogram, which {} looks at; "
                            "calibrate again with this algorithm",
                            printable(stats.value), algorithm.name));
  }
  if (is_mask(extremes)) return {};
  const Range range = algorithm.name == kMovingAverage ? mean_extremes(stats.moments) : extremes;
  return ValueRange{.value = stats.value,
                    .min = range.min,
                    .max = range.max,
                    .algorithm = algorithm.name,
                    .asked = algorithm.name,
                    .expected_mse = {}};
}

std::optional<ValueRange> range_of(const ValueStats& stats, const RangeAlgorithm& algorithm,
                                   const Scheme& scheme) {
  if (stats.moments.count() == 0) return {};
  if (stats.histogram.empty()) return range_without_histogram(stats, algorithm);
  const Chooser chooser(stats, scheme);
  const Chosen chosen = chooser.choose(algorithm);
  return ValueRange{.value = stats.value,
                    .min = chosen.range.min,
                    .max = chosen.range.max,
                    .algorithm = std::string(chosen.algorithm),
                    .asked = algorithm.name,
                    .expected_mse = chooser.error(chosen.range)};
}

RangeAlgorithm known(RangeAlgorithm algorithm) {
  needs_histograms(algorithm.name);  // throws where it is not known
  if (algorithm.name == "kl") algorithm.name = kEntropy;
  return algorithm;
}

}  // namespace

bool needs_histograms(std::string_view algorithm) {
  if (algorithm == kMinmax || algorithm == kMovingAverage) return false;
  for (const std::string_view known : {kPercentile, kEntropy, kMse, kAuto}) {
    if (algorithm == known) return true;
  }
  if (algorithm == "kl") return true;
  throw Error(Errc::unsupported,
              fmt::format("range algorithm '{}' is not known; use minmax, moving_average, "
                          "percentile, entropy, mse or auto",
                          printable(algorithm)));
}

Ranges choose_ranges(const TapState& statistics, const RangeOptions& options) {
  const RangeAlgorithm usual = known(options.algorithm);
  Ranges ranges{
      .model = statistics.model, .samples = statistics.samples.size(), .values = {}, .empty = {}};
  for (const ValueStats& stats : statistics.values) {
    if (!options.values.empty() && !options.values.contains(stats.value)) continue;
    const auto own = options.of_value.find(stats.value);
    const RangeAlgorithm algorithm = own == options.of_value.end() ? usual : known(own->second);
    if (std::optional<ValueRange> range = range_of(stats, algorithm, options.scheme)) {
      ranges.values.push_back(std::move(*range));
    } else {
      ranges.empty.push_back(stats.value);
    }
  }
  return ranges;
}

}  // namespace quantlens
