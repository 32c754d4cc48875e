// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/extents.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/affine.h"

namespace quantlens {

/// Where the output channels of an op that multiplies by a constant weight are: in its result, and
/// in its weight.
struct OutputChannels : ChannelAxis {
  std::size_t inner = 1;   ///< neighbouring elements of the weight that belong to one channel
  std::size_t groups = 1;  ///< of a ConvTranspose, whose channels count within each group
  std::size_t weight = 1;  ///< input of the op that is its weight

  /// The channel of an element of the weight; `size`: all elements.
  std::size_t of(std::size_t element, std::size_t size) const {
    const std::size_t within = count / groups;
    return element / (size / groups) * within + element / inner % within;
  }
};

/// Of a Conv, ConvTranspose, Gemm or MatMul with a constant weight of floats (of a MatMul also its
/// first operand); nothing for other ops.
std::optional<OutputChannels> output_channels(const GraphIndex& index, const Extents& extents,
                                              const Node& node);

}  // namespace quantlens
