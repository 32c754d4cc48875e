// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/error/local_errors.h"
#include "quantlens/graph/order.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Splits `local_mse` of each row that has one. Rounding and clipping are those of the row's codes
/// over the histogram of what the reference computed, which `accumulated` has. The inputs' part is
/// what was measured with rounded inputs alone, the weight's, or that of other constants, likewise;
/// where the lengths of all of them together do not reach local_mse, what is more than their sum is
/// `other_mse`. Without those measurements the rest is the inputs'; of an op with a weight both
/// follow from relative errors, and what is more than four times as much is `other_mse`.
void add_local_parts(const GraphIndex& reference, const Pairing& pairing,
                     const GatheredErrors& gathered, Diagnosis& diagnosis);

}  // namespace quantlens
