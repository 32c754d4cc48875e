// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/choose_ranges.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {

bool needs_histograms(std::string_view algorithm) {
  if (algorithm == "minmax") return false;
  throw Error(Errc::unsupported,
              fmt::format("range algorithm '{}' is not known; use minmax", printable(algorithm)));
}

Ranges choose_ranges(const TapState& statistics, const RangeOptions& options) {
  needs_histograms(options.algorithm);  // throws where it is not known
  Ranges ranges{.samples = statistics.samples.size(), .values = {}, .empty = {}};
  for (const ValueStats& stats : statistics.values) {
    if (stats.moments.count() == 0) {
      ranges.empty.push_back(stats.value);
      continue;
    }
    ranges.values.push_back({.value = stats.value,
                             .min = stats.moments.min(),
                             .max = stats.moments.max(),
                             .algorithm = options.algorithm});
  }
  return ranges;
}

}  // namespace quantlens
