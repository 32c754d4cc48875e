// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Adds what was gathered of other elements of the same value, or pair.
/// REQUIRES: equal taps, with histograms of the same channels.
void add(ValueStats& stats, const ValueStats& other);
void add(PairedStats& stats, const PairedStats& other);

}  // namespace quantlens
