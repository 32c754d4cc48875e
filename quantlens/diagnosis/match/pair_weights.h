// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Adds to `pairing` the weights of matched ops that are codes in the quantized model, and of those
/// unmatched that have kept name and type and whose activations are paired already, in the order of
/// the reference's ops; those whose shapes do not fit become `not_compared`.
void pair_weights(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
                  const StructureMatch& match, Pairing& pairing);

}  // namespace quantlens
