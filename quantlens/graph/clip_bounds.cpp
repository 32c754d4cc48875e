// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/clip_bounds.h"

#include "quantlens/graph/roles_of.h"

namespace quantlens {

std::optional<ClipBounds> clip_bounds(const GraphIndex& index, const Node& node) {
  if (node.kind != Kind::clip) return std::nullopt;
  ClipBounds bounds;
  if (const auto* own = role<roles::Bounds>(node)) {
    bounds.low = own->low.value_or(bounds.low);
    bounds.high = own->high.value_or(bounds.high);
  }
  for (std::size_t input = 1; input < node.inputs.size(); ++input) {
    if (node.inputs[input].empty()) continue;
    const Tensor* bound = index.constant(node.inputs[input]);
    if (bound == nullptr || bound->size() != 1 || !is_float(bound->dtype())) return std::nullopt;
    (input == 1 ? bounds.low : bounds.high) = to_float32(*bound).data<float>()[0];
  }
  return bounds;
}

}  // namespace quantlens
