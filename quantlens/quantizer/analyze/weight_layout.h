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
  bool outputs_last = false;  ///< [inputs, outputs]; else [outputs, inputs, taps...]

  std::size_t at(std::size_t o, std::size_t i, std::size_t k) const {
    return outputs_last ? i * outputs + o : (o * inputs + i) * taps + k;
  }
  std::size_t first_input(std::size_t o) const { return o / (outputs / groups) * inputs; }
};

/// Of the second input of a Conv, a MatMul, or a Gemm that only multiplies and adds; nothing for
/// other ops, shapes and attributes.
std::optional<WeightLayout> weight_layout(const Node& node, const Shape& shape);

}  // namespace quantlens
