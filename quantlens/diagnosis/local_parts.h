// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/local_errors.h"
#include "quantlens/graph/order.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Splits `local_mse` of each row that has one. Rounding and clipping are those of the row's codes
/// over the histogram of what the reference computed, which `accumulated` has; the rest is the
/// inputs'. Of an op with a weight, the weight's part is what was measured with rounded weights
/// alone, else it follows from relative errors, as the inputs' does; what is more than four times
/// as much as inputs and an unmeasured weight could make is `other_mse`.
void add_local_parts(const GraphIndex& reference, const Pairing& pairing,
                     const GatheredErrors& gathered, Diagnosis& diagnosis);

}  // namespace quantlens
