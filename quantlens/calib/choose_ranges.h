// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/quant/scheme.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

struct RangeOptions {
  /// minmax, percentile, entropy (also called kl), mse; others throw Errc::unsupported.
  std::string algorithm = "minmax";
  Scheme scheme;               ///< that the ranges are for; entropy and mse depend on it
  double percentile = 99.999;  ///< of the elements that percentile keeps
};

/// Whether the algorithm looks at histograms, or at extremes alone.
/// Throws Errc::unsupported where it is not known.
bool needs_histograms(std::string_view algorithm);

/// The range of every value in the statistics; where the algorithm looks at histograms, not of
/// those of which only channels were gathered. Values without a finite element are listed apart.
/// Throws Errc::bad_input for statistics without the histograms that the algorithm looks at.
Ranges choose_ranges(const TapState& statistics, const RangeOptions& options);

}  // namespace quantlens
