// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/graph/kind.h"
#include "quantlens/quant/params.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// Of an op that multiplies or adds a constant.
struct DataAndResult {
  Range data, result;
};

/// Why a constant of several numbers stays float, though a Mul or Add with it has an integer
/// kernel; empty where it need not. Its codes have one scale: where its numbers are far apart, and
/// the data even them out, the small ones are lost. The bound: a number's own rounding changes
/// elements that the result can hold by a whole step of the result's codes or more, which is twice
/// what these codes lose by themselves. REQUIRES: all numbers are finite floats.
std::string coarse_constant(Kind kind, const Tensor& constant, const DataAndResult& ranges,
                            const Scheme& scheme);

}  // namespace quantlens
