// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/made_otherwise.h"

#include <algorithm>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/compare_nodes.h"

namespace quantlens {
namespace {

/// Whether an op may compute several of the reference.
bool holds_others(Kind kind) {
  return multiplies_by_weight(kind) || kind == Kind::layer_norm || kind == Kind::instance_norm ||
         kind == Kind::gelu || kind == Kind::hard_swish || kind == Kind::batch_norm;
}

}  // namespace

bool is_made_otherwise(const GraphIndex& reference, const Node& node, const std::string& value,
                       const GraphIndex& quantized) {
  const std::optional<std::size_t> producer = quantized.producer(value);
  if (!producer) return false;
  const Node& other = quantized.graph().nodes[*producer];
  if (uses_codes(other.kind) || !are_of_one_set(other, node) || holds_others(other.kind))
    return false;
  if (!have_same_type(other, node)) return true;
  for (std::size_t i = 0; i < std::min(node.inputs.size(), other.inputs.size()); ++i) {
    const Tensor* places = reference.constant(node.inputs[i]);
    const Tensor* others = quantized.constant(other.inputs[i]);
    if (places == nullptr || others == nullptr || places->dtype() != DType::int64) continue;
    if (!std::ranges::equal(places->bytes(), others->bytes())) return true;
  }
  return false;
}

}  // namespace quantlens
