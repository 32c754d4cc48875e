// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Number of the input that is the bias of a Conv, Gemm, QLinearConv or QGemm.
std::size_t bias_input(const Node& op);

/// The bias of such an op in floats, as the file stores it: floats, int32 codes behind a
/// DequantizeLinear, or those of an op on codes, in steps of the scales of its data and weight.
/// Nothing where the op has none, or where it is computed from an input of the network.
std::optional<Tensor> stored_bias(const GraphIndex& graph, const Node& op);

}  // namespace quantlens
