// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/graph/order.h"

namespace quantlens {

/// Whether the quantized model makes the value of its name otherwise than `node` of the reference
/// does, in floats: by an op of another type, or with other integers for its places. What may stand
/// for several ops (a fused Gelu, a product that constants behind it were folded into) is no other
/// one; nor is what has no value of that name.
bool is_made_otherwise(const GraphIndex& reference, const Node& node, const std::string& value,
                       const GraphIndex& quantized);

}  // namespace quantlens
