// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Tells of each pair what the quantized model computes its op in, whoever wrote the file
/// (ValuePair::precision). `reference` is the view of what the pairs' ops belong to.
void tell_precisions(const FloatView& reference, const FloatView& quantized,
                     const StructureMatch& match, const Capabilities& able, Pairing& pairing);

}  // namespace quantlens
