// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// An edit of the float model: ops in front of a Conv, ConvTranspose, Gemm or MatMul that multiply
/// each channel by one constant or add one go into its weight and bias. Only where that is exact
/// (what is added never reaches into zeros of padding), where nothing else reads what they make,
/// and where what they read would be codes anyway, by what the runtime is able to do: then one
/// rounding less is left. Empty where there are none.
Plan fold_before(const GraphIndex& index, const Capabilities& able);

}  // namespace quantlens
