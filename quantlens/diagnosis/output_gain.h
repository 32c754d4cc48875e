// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// How much of an error is gone.
struct Gain {
  double share = 0;                  ///< 1: all; below 0: there is more than before
  std::array<double, 2> interval{};  ///< 95 %, over blocks of the same samples
  std::vector<double> without;       ///< the share, without each block
};

/// Of the outputs' errors, relative to their energy and summed over the outputs that were paired:
/// how much of what `before` gathered is gone in `after`, over the same samples. 0 where there was
/// none. REQUIRES: pairs of the same references in both.
Gain output_gain(const TapState& before, const TapState& after);

/// Whether there is an error of which some could go.
bool has_output_error(const TapState& state);

}  // namespace quantlens
