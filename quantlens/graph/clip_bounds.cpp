// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/clip_bounds.h"

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

/// Sets `bound` where an input says it. False: that is no constant number.
bool read(const GraphIndex& index, const std::string& input, float& bound) {
  if (input.empty()) return true;
  const Tensor* number = index.constant(input);
  if (number == nullptr || number->size() != 1 || !is_float(number->dtype())) return false;
  bound = to_float32(*number).data<float>()[0];
  return true;
}

}  // namespace

std::optional<ClipBounds> clip_bounds(const GraphIndex& index, const Node& node) {
  if (node.kind != Kind::clip) return std::nullopt;
  ClipBounds bounds;
  if (const auto* own = role<roles::Bounds>(node)) {
    bounds.low = own->low.value_or(bounds.low);
    bounds.high = own->high.value_or(bounds.high);
  }
  if (!read(index, low_bound_of(node), bounds.low)) return std::nullopt;
  if (!read(index, high_bound_of(node), bounds.high)) return std::nullopt;
  return bounds;
}

}  // namespace quantlens
