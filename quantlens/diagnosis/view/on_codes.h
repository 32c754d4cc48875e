// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// What an op of a model that is quantized already computes on, as OpPlan has it: int8 or int16
/// where it reads or gives codes itself, moves them, or stands between a DequantizeLinear of each
/// input and QuantizeLinears of its result with an integer kernel for it, of which some give floats
/// as well. Nothing of what computes on floats. Of a pattern of ops that one kernel replaces,
/// `first` and `last` of them.
std::optional<Precision> precision_on_codes(const GraphIndex& index, const Capabilities& able,
                                            const Node& first, const Node& last);

}  // namespace quantlens
