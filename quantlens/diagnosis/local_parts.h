// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/order.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Splits `local_mse` of each row that has one. Rounding and clipping are those of the row's codes
/// over the histogram of what the reference computed, which `state` has; the rest is the inputs'.
/// Of an op with a weight it is the weight's and the inputs' in proportion to their relative
/// errors; what is more than four times as much as both could make is `other_mse`.
void add_local_parts(const GraphIndex& reference, const Pairing& pairing, const TapState& state,
                     Diagnosis& diagnosis);

}  // namespace quantlens
