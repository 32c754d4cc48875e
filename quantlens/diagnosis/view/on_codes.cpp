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

/// Whether an input is for codes: not the shape that a Reshape makes, nor a Where's condition.
bool takes_codes(const Capability& row, std::size_t input) {
  if (row.role == Role::compute || row.data_inputs == 0) return true;
  return input >= row.first_data_input && input < row.first_data_input + row.data_inputs;
}

bool gives_codes(const GraphIndex& index, const Node& node) {
  return std::ranges::all_of(
      node.outputs, [&](const std::string& output) { return is_read_as_codes(index, output); });
}

/// The width of the codes on both sides of ops that are one kernel, or in front of one that gives
/// floats.
std::optional<Precision> between_codes(const GraphIndex& index, const Capabilities& able,
                                       const Node& first, const Node& last) {
  if (!able.has_kernel(first.kind)) return std::nullopt;
  const Capability other{.kind = first.kind};
  const Capability* known = able.row(first.kind);
  const Capability& row = known != nullptr ? *known : other;
  std::optional<Precision> width;
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const Node* link = maker(index, first.inputs[i]);
    const bool is_stored = link == nullptr || link->kind == Kind::constant;
    if (first.inputs[i].empty() || is_stored || !takes_codes(row, i)) continue;
    if (link->kind != Kind::dequantize) return std::nullopt;
    if (!width) width = width_of(index, *link);
  }
  if (width == Precision::int16 && !row.moves_all_widths) return std::nullopt;
  const bool may_give_floats = !row.needs_integer_output;
  return may_give_floats || gives_codes(index, last) ? width : std::nullopt;
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
