// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/extents.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/affine.h"

namespace quantlens {

/// Whether an op only moves elements: Reshape, Flatten, Transpose, Squeeze, Unsqueeze, Identity.
bool only_moves(Kind kind);

/// Which axis of the result of such an op the channels of its first input are. Where they are none
/// alone (a Reshape splits them, or joins them with others) the result has no channels, and only
/// numbers that are equal for all can be folded behind it. Nothing where not even the number of
/// dimensions is known.
std::optional<ChannelAxis> moved(const GraphIndex& index, const Extents& extents, const Node& node,
                                 const ChannelAxis& channels);

/// Which axis of the first input becomes the channels of the result; as above.
std::optional<ChannelAxis> moved_back(const GraphIndex& index, const Extents& extents,
                                      const Node& node, const ChannelAxis& channels);

}  // namespace quantlens
