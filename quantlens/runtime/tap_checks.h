// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/runtime/accumulators.h"
#include "quantlens/stats/channel.h"

namespace quantlens {

// Whether taps make sense, by themselves and beside the tensors that they are shown; for
// Accumulators alone.

/// "'a' and 'b'", for sentences.
std::string pair_name(const PairTap& pair);

/// Throws Errc::bad_input for a value or a pair that is tapped twice, and for channels that no
/// value can have.
void check_taps(const TapSpec& spec);

/// Where an axis of [N,C,H,W] lies in what is shown: [N,H,W,C] where channels come last.
int shown_axis(int axis, bool channels_last);

/// Where channels lie in a sample's part. Throws Errc::bad_input where there is no such axis.
AxisLayout channel_layout(const Shape& sample, int axis, const std::string& name);

/// Why the two tensors are not what the tap says; empty: they are.
std::string obstacle_of(const PairTap& pair, const TensorView& reference,
                        const TensorView& quantized, bool channels_last);

}  // namespace quantlens
