// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "quantlens/quant/distribution.h"
#include "quantlens/quant/scheme.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// How the range of a value is chosen.
struct RangeChoice {
  RangeAlgorithm algorithm = RangeAlgorithm::minmax;
  double percentile = 99.999;  ///< of the elements that percentile keeps
  bool operator==(const RangeChoice&) const = default;
};

struct RangeOptions {
  std::set<std::string> values;  ///< that want a range; empty: all in the statistics
  RangeChoice usual;
  std::map<std::string, RangeChoice> of_value;  ///< of values that want another one
  /// That the ranges are for, as the kernels' codes are: entropy, mse and auto depend on it.
  Scheme scheme;
  KernelRules kernels;
};

/// Whether the algorithm looks at histograms, or at extremes alone.
bool needs_histograms(RangeAlgorithm algorithm);

struct ChosenRange {
  Range range;
  RangeAlgorithm algorithm;  ///< that gave it: of auto_ the one that was taken
};

/// The range of one value. `means`: the mean of its samples' least and of their greatest elements,
/// which moving_average takes; nothing where it is asked for and they are not known, and auto_ does
/// without it then. REQUIRES: the distribution has elements.
std::optional<ChosenRange> choose_range(const Distribution& values,
                                        const std::optional<Range>& means,
                                        const RangeChoice& choice, const Scheme& scheme);

/// The range of every value in the statistics that wants one. Values that cannot have one are
/// listed apart: those without a finite element and, without a histogram, those that hold masks
/// (docs/recipes.md).
/// Throws Errc::bad_input for statistics without the histograms that an algorithm looks at.
Ranges choose_ranges(const TapState& statistics, const RangeOptions& options);

}  // namespace quantlens
