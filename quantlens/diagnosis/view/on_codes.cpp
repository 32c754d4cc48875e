// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/on_codes.h"

#include <algorithm>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

const Node* maker(const GraphIndex& index, const std::string& value) {
  const std::optional<std::size_t> number = index.producer(value);
  return number ? &index.graph().nodes[*number] : nullptr;
}

/// By the zero point of a QuantizeLinear or DequantizeLinear; 8 bits of all else.
std::optional<Precision> width_of(const GraphIndex& index, const Node& node) {
  const Tensor* zero = index.constant(zero_point_of(node));
  if (zero == nullptr) return Precision::int8;
  switch (zero->dtype()) {
    case DType::int16:
    case DType::uint16:
      return Precision::int16;
    case DType::int8:
    case DType::uint8:
    case DType::int32:
      return Precision::int8;
    default:
      return std::nullopt;
  }
}

bool converts(Kind kind) {
  return kind == Kind::quantize || kind == Kind::dequantize;
}

/// Of codes, which an op on codes gives, or one that only moves such; nothing of other values.
std::optional<Precision> width_of_codes(const GraphIndex& index, std::string value) {
  constexpr int kMostMovers = 64;
  for (int i = 0; i < kMostMovers; ++i) {
    const Node* node = maker(index, value);
    if (node == nullptr || node->kind == Kind::dequantize) return std::nullopt;
    if (node->kind == Kind::quantize) return width_of(index, *node);
    if (uses_codes(node->kind)) return Precision::int8;
    if (!carries_codes(*node) || node->inputs.empty()) return std::nullopt;
    value = node->inputs.front();
  }
  return std::nullopt;
}

/// The width of the codes on both sides of ops that are one kernel.
std::optional<Precision> between_codes(const GraphIndex& index, const Capabilities& able,
                                       const Node& first, const Node& last) {
  if (!able.has_kernel(first.kind) || last.outputs.size() != 1) return std::nullopt;
  std::optional<Precision> width;
  for (const std::string& input : first.inputs) {
    const Node* link = maker(index, input);
    if (input.empty() || link == nullptr || link->kind == Kind::constant) continue;
    if (link->kind != Kind::dequantize) return std::nullopt;
    if (!width) width = width_of(index, *link);
  }
  const std::vector<Use>& uses = index.uses(last.outputs.front());
  const bool gives = !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
    return index.graph().nodes[use.node].kind == Kind::quantize;
  });
  return gives ? width : std::nullopt;
}

}  // namespace

std::optional<Precision> precision_on_codes(const GraphIndex& index, const Capabilities& able,
                                            const Node& first, const Node& last) {
  if (converts(first.kind)) return width_of(index, first);
  if (uses_codes(first.kind)) return Precision::int8;
  if (!first.inputs.empty() && carries_codes(first)) {
    if (auto width = width_of_codes(index, first.inputs.front())) return width;
  }
  return between_codes(index, able, first, last);
}

}  // namespace quantlens
