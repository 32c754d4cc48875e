// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Number of the input that is the bias of an op with Operands; it may lie past the op's inputs.
/// Nothing where the op cannot have one.
std::optional<std::size_t> bias_input(const Node& op);

/// The bias of such an op in floats, as the file stores it: floats, int32 codes behind a
/// DequantizeLinear, or those of an op on codes, in steps of the scales of its data and weight.
/// Nothing where the op has none, or where it is computed from an input of the network.
std::optional<Tensor> stored_bias(const GraphIndex& graph, const Node& op);

}  // namespace quantlens
