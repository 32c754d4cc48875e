// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// A value whose channels bias correction wants to know, and the axis that they lie along.
struct ValueChannels {
  std::string value;
  int axis = 0;
  bool operator==(const ValueChannels&) const = default;
};

/// What the ops that multiply by a constant weight and add a constant read, each value once, in
/// order: those of them whose range is to be calibrated anyway (`calibrated`).
std::vector<ValueChannels> channels_for_bias(const Analyzed& analyzed,
                                             const std::set<std::string>& calibrated);

/// Takes from the biases what rounding the weights adds to the mean of each output channel:
/// (Q(W) - W) E[x], with E[x] the channels' means in `statistics` (M. Nagel et al., "Data-free
/// quantization through weight equalization and bias correction", 2019, with measured means). Ops
/// without a bias get one where their kernel takes it. Padding counts as the mean, not as zero.
/// What the statistics do not know, or what would not be finite, stays as it is. Each corrected op
/// is named in plan.effects; its gain compares the mean square of what rounding the weights adds to
/// the output before and after, channels of the input taken as uncorrelated.
void correct_biases(const Analyzed& analyzed, const TapState& statistics, Plan& plan);

}  // namespace quantlens
