// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// One row a weight pair, by MSE, worst first; ties in the order of the pairing. The reference side
/// is the weight that was quantized: after folding batch norm, where that was done.
std::vector<WeightRow> weight_rows(const Model& reference, const Model& quantized,
                                   const Pairing& pairing);

}  // namespace quantlens
