// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantlens/graph/model.h"

namespace quantlens {

/// How a weight's elements connect channels: element (o, i, k) joins input channel i of o's group
/// to output channel o.
struct WeightLayout {
  std::size_t outputs = 0;  ///< output channels
  std::size_t inputs = 0;   ///< input channels of one group
  std::size_t taps = 1;     ///< elements of the kernel
  std::size_t groups = 1;
  std::size_t output_axis = 0;
  /// Elements from one channel, or place of the kernel, to the next.
  std::size_t output_stride = 1, input_stride = 1, tap_stride = 1;

  std::size_t at(std::size_t o, std::size_t i, std::size_t k) const {
    return o * output_stride + i * input_stride + k * tap_stride;
  }
  std::size_t first_input(std::size_t o) const { return o / (outputs / groups) * inputs; }
};

/// Of the weight of a Conv, a MatMul of matrices, or a Gemm that only multiplies and adds, whose
/// channels are the first two or the last two axes; nothing for other ops and shapes.
std::optional<WeightLayout> weight_layout(const Node& node, const Shape& shape);

}  // namespace quantlens
