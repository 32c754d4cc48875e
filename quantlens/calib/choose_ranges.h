// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/record/ranges.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

struct RangeOptions {
  std::string algorithm = "minmax";  ///< minmax; others throw Errc::unsupported, naming those known
};

/// Whether the algorithm looks at histograms, or at extremes alone.
/// Throws Errc::unsupported where it is not known.
bool needs_histograms(std::string_view algorithm);

/// The range of every value in the statistics. Values without a finite element are listed apart.
Ranges choose_ranges(const TapState& statistics, const RangeOptions& options);

}  // namespace quantlens
