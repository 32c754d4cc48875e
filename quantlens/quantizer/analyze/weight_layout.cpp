// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/weight_layout.h"

#include <cstdint>

namespace quantlens {

std::optional<WeightLayout> weight_layout(const Node& node, const Shape& shape) {
  const auto extent = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  const auto elements = static_cast<std::size_t>(element_count(shape).value_or(0));
  if (elements == 0) return std::nullopt;
  if (node.kind == Kind::conv && shape.size() >= 3) {
    const std::int64_t groups = attribute_int(node, "group", 1);
    if (groups < 1 || shape[0] % groups != 0) return std::nullopt;
    WeightLayout layout{.outputs = extent(0), .inputs = extent(1)};
    layout.taps = elements / layout.outputs / layout.inputs;
    layout.groups = static_cast<std::size_t>(groups);
    return layout;
  }
  if (shape.size() != 2) return std::nullopt;
  if (node.kind == Kind::matmul) {
    return WeightLayout{.outputs = extent(1), .inputs = extent(0), .outputs_last = true};
  }
  if (node.kind != Kind::gemm || attribute_int(node, "transA", 0) != 0 ||
      attribute_float(node, "alpha", 1) != 1 || attribute_float(node, "beta", 1) != 1) {
    return std::nullopt;
  }
  if (attribute_int(node, "transB", 0) != 0) {
    return WeightLayout{.outputs = extent(0), .inputs = extent(1)};
  }
  return WeightLayout{.outputs = extent(1), .inputs = extent(0), .outputs_last = true};
}

}  // namespace quantlens
