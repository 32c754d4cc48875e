// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/plan.h"

namespace quantlens::flow {

/// What an op of a model that is quantized already computes on, as OpPlan has it: int8 or int16
/// where it reads or gives codes itself, moves them, or stands between a DequantizeLinear of each
/// input and QuantizeLinears of its result with an integer kernel for it. Nothing of what computes
/// on floats.
std::optional<Precision> precision_on_codes(const GraphIndex& index, const Capabilities& able,
                                            const OpPlan& op);

}  // namespace quantlens::flow
