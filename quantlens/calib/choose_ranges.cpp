// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/choose_ranges.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/calib/search_range.h"

namespace quantlens {

namespace {

Range range_of(const ValueStats& stats, const RangeOptions& options) {
  const Range extremes{stats.moments.min(), stats.moments.max()};
  if (options.algorithm == "minmax" || extremes.min == extremes.max) return extremes;
  if (stats.histogram.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("the statistics of '{}' have no histogram, which {} looks at; "
                            "calibrate again with this algorithm",
                            printable(stats.value), options.algorithm));
  }
  if (options.algorithm == "percentile") {
    return percentile_range(stats.histogram, extremes, options.percentile / 100,
                            options.scheme.symmetric);
  }
  const Distribution values(stats.histogram, extremes);
  return options.algorithm == "mse" ? least_error_range(values, options.scheme)
                                    : entropy_range(values, options.scheme);
}

}  // namespace

bool needs_histograms(std::string_view algorithm) {
  if (algorithm == "minmax") return false;
  for (const char* known : {"percentile", "entropy", "kl", "mse"}) {
    if (algorithm == known) return true;
  }
  throw Error(Errc::unsupported,
              fmt::format("range algorithm '{}' is not known; use minmax, percentile, entropy "
                          "or mse",
                          printable(algorithm)));
}

Ranges choose_ranges(const TapState& statistics, const RangeOptions& options) {
  const bool histograms = needs_histograms(options.algorithm);
  Ranges ranges{.samples = statistics.samples.size(), .values = {}, .empty = {}};
  for (const ValueStats& stats : statistics.values) {
    if (histograms && stats.histogram.empty() && stats.channel_axis >= 0) continue;
    if (stats.moments.count() == 0) {
      ranges.empty.push_back(stats.value);
      continue;
    }
    const Range range = range_of(stats, options);
    ranges.values.push_back(
        {.value = stats.value, .min = range.min, .max = range.max, .algorithm = options.algorithm});
  }
  return ranges;
}

}  // namespace quantlens
