// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/graph/order.h"
#include "quantlens/quant/blocks.h"

namespace quantlens {

/// The matrix that a MatMulNBits multiplies by, each column a line; nothing for other nodes, and
/// where its tensors are not constant or do not fit what the node says of them.
std::optional<BlockReader> block_weight(const GraphIndex& index, const Node& node);

}  // namespace quantlens
