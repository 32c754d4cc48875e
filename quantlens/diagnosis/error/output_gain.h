// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "quantlens/record/tap_state.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// How much of an error is gone.
struct Gain {
  double share = 0;                  ///< 1: all; below 0: there is more than before
  std::array<double, 2> interval{};  ///< 95 %, over blocks of the same samples
  std::vector<double> without;       ///< the share, without each block
  /// How far the share of one sample's error lies from `share`: standard deviation, samples
  /// weighted by their error.
  double spread = 0;
  SampleSet samples;  ///< that were measured
};

/// Of the outputs' errors, relative to their energy and summed over the outputs that were paired:
/// how much of what `before` gathered is gone in `after`, over the same samples. 0 where there was
/// none. REQUIRES: pairs of the same references in both.
Gain output_gain(const TapState& before, const TapState& after);

/// Widens the interval to be of all samples, which have errors of their own: `lumps` are the shares
/// that single samples which were not measured have of the whole error. What is gone of theirs is
/// known as far as the measured ones are alike.
void widen_for_others(std::span<const double> lumps, Gain& gain);

/// Whether there is an error of which some could go.
bool has_output_error(const TapState& state);

}  // namespace quantlens
