// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quantizer/make_plan.h"
#include "quantlens/quantizer/select.h"

namespace quantlens {

/// Sees to it that a Conv, ConvTranspose or Gemm that the plan leaves in float also runs in float.
/// Between a DequantizeLinear and a QuantizeLinear, ONNX Runtime gives such an op an int8 weight of
/// its own, one scale for all channels (its WeightBiasQuantization), unless the bias is computed.
/// So the bias becomes an int32 that is dequantized, to 2^-30 of its largest value; an op without
/// one gets zeros.
void guard_float(const GraphIndex& index, const Prepared& prepared, const Selection& selection,
                 Plan& plan);

}  // namespace quantlens
