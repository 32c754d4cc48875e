// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/weight_layout.h"

#include <algorithm>

#include "quantlens/graph/roles_of.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

/// Whether the op is one of those that are described, with a weight of this rank.
bool has_layout(const Node& node, std::size_t rank) {
  switch (node.kind) {
    case Kind::conv:
      return rank >= 3;
    case Kind::matmul:
      return rank == 2;
    case Kind::gemm:
      return rank == 2 && !transposes_a(node) && alpha_of(node) == 1 && beta_of(node) == 1;
    default:
      return false;
  }
}

}  // namespace

std::optional<WeightLayout> weight_layout(const Node& node, const Shape& shape) {
  const auto elements = static_cast<std::size_t>(element_count(shape).value_or(0));
  const auto axes = weight_axes(node, shape.size());
  if (elements == 0 || !axes || !has_layout(node, shape.size())) return std::nullopt;
  const std::int64_t groups = groups_of(node);
  if (groups < 1 || shape[axes->output] % groups != 0) return std::nullopt;
  const auto [first, last] = std::minmax(axes->output, axes->input);
  const bool is_in_front = first == 0 && last == 1;
  if (!is_in_front && (first + 1 != last || last + 1 != shape.size())) return std::nullopt;
  const Strides steps = strides(shape);
  WeightLayout layout{.outputs = static_cast<std::size_t>(shape[axes->output]),
                      .inputs = static_cast<std::size_t>(shape[axes->input]),
                      .groups = static_cast<std::size_t>(groups),
                      .output_axis = axes->output,
                      .output_stride = static_cast<std::size_t>(steps[axes->output]),
                      .input_stride = static_cast<std::size_t>(steps[axes->input])};
  layout.taps = elements / layout.outputs / layout.inputs;
  layout.tap_stride = is_in_front ? 1 : layout.outputs * layout.inputs;
  return layout;
}

}  // namespace quantlens
