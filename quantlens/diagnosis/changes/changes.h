// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Adds to `pairing` what matched ops do otherwise: attributes, operands, constants, activations
/// that are gone, codes that are written and read by different figures. What a tool does without
/// changing the function is none of it: folding, fusing, correcting a bias, factors that the next
/// op takes back. Where that cannot be told, nothing is said. REQUIRES: pairs and weights are in.
void find_changes(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
                  const StructureMatch& match, Pairing& pairing);

}  // namespace quantlens
