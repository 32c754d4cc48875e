// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "quantlens/graph/order.h"

namespace quantlens {

/// What a Clip lets through; infinite where it has no bound on a side.
struct ClipBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

/// The constant bounds of a Clip, its own or from its inputs.
/// Nothing for another op, and where a bound is computed.
std::optional<ClipBounds> clip_bounds(const GraphIndex& index, const Node& node);

}  // namespace quantlens
