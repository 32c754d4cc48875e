// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/work.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace quantlens {
namespace {

/// Looks up what a value is.
class Lookup {
 public:
  Lookup(const Graph& graph, const ValueTypes& types) : graph_(graph), types_(types) {}

  std::optional<TensorType> find(const std::string& value) const {
    const auto type = types_.find(value);
    if (type != types_.end()) return type->second;
    const auto weight = graph_.weights.find(value);
    if (weight == graph_.weights.end()) return std::nullopt;
    return TensorType{weight->second.dtype(), weight->second.shape()};
  }

  std::optional<std::uint64_t> elements(const std::string& value) const {
    const std::optional<TensorType> type = find(value);
    if (!type) return std::nullopt;
    return static_cast<std::uint64_t>(element_count(type->shape).value_or(0));
  }

  std::optional<std::uint64_t> bytes(const std::string& value) const {
    const std::optional<TensorType> type = find(value);
    if (!type || type->dtype == DType::string) return std::nullopt;
    return static_cast<std::uint64_t>(element_count(type->shape).value_or(0)) *
           byte_size(type->dtype);
  }

 private:
  const Graph& graph_;
  const ValueTypes& types_;
};

std::uint64_t extent(const TensorType& type, std::size_t axis) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(type.shape.at(axis), 0));
}

/// Multiplications of a convolution: each output element takes one for each element of a filter of
/// its group. The weight is [O,I/g,...] in every layout: blocked ones only pad it.
std::optional<std::uint64_t> of_convolution(const Node& node, const Lookup& lookup,
                                            std::size_t weight_at) {
  if (node.inputs.size() <= weight_at || node.outputs.empty()) return std::nullopt;
  const auto weight = lookup.find(node.inputs[weight_at]);
  const auto outputs = lookup.elements(node.outputs[0]);
  if (!weight || !outputs || weight->shape.size() < 3 || extent(*weight, 0) == 0) return {};
  const auto filter =
      static_cast<std::uint64_t>(element_count(weight->shape).value_or(0)) / extent(*weight, 0);
  return 2 * filter * *outputs;
}

/// Of a matrix product: the inner extent is the last of `a`, or the one before where it is
/// transposed.
std::optional<std::uint64_t> of_product(const Node& node, const Lookup& lookup) {
  if (node.inputs.empty() || node.outputs.empty()) return std::nullopt;
  const auto a = lookup.find(node.inputs[0]);
  const auto outputs = lookup.elements(node.outputs[0]);
  if (!a || !outputs || a->shape.empty()) return std::nullopt;
  const bool is_transposed = attribute_int(node, "transA", 0) != 0 && a->shape.size() > 1;
  return 2 * extent(*a, a->shape.size() - (is_transposed ? 2 : 1)) * *outputs;
}

bool is_product(const Node& node) {
  switch (node.kind) {
    case Kind::gemm:
    case Kind::matmul:
    case Kind::qmatmul:
    case Kind::qgemm:
    case Kind::matmul_integer:
    case Kind::matmul_integer_to_float:
    case Kind::dynamic_quantize_matmul:
    case Kind::matmul_blocks:
      return true;
    default:
      return node.type == "FusedMatMul" || node.type == "FusedGemm";
  }
}

bool is_convolution(const Node& node) {
  return node.kind == Kind::conv || node.kind == Kind::qconv || node.kind == Kind::conv_integer ||
         node.type == "Conv" || node.type == "FusedConv" || node.type == "NhwcFusedConv";
}

bool is_move(const Node& node) {
  return moves_elements(node.kind) || node.kind == Kind::concat || node.kind == Kind::slice ||
         node.kind == Kind::split || node.kind == Kind::gather || node.kind == Kind::tile ||
         node.kind == Kind::expand || node.kind == Kind::pad || node.type == "ReorderInput" ||
         node.type == "ReorderOutput" || node.kind == Kind::identity;
}

std::optional<std::uint64_t> operations_of(const Node& node, const Lookup& lookup) {
  if (is_convolution(node)) {
    return of_convolution(node, lookup, node.kind == Kind::qconv ? 3 : 1);
  }
  if (is_product(node)) return of_product(node, lookup);
  if (is_move(node)) return 0;
  if (node.kind == Kind::control_flow || node.kind == Kind::recurrent ||
      node.kind == Kind::conv_transpose || !node.subgraphs.empty()) {
    return std::nullopt;
  }
  std::uint64_t most = 0;  // a reduction looks at each input, an elementwise op makes each output
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) most = std::max(most, lookup.elements(name).value_or(0));
  }
  if (most == 0) return std::nullopt;
  return most;
}

std::optional<std::uint64_t> bytes_of(const Node& node, const Lookup& lookup) {
  std::uint64_t sum = 0;
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    const auto bytes = lookup.bytes(output);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  if (node.kind == Kind::gather || node.kind == Kind::gather_blocks) return 2 * sum;
  for (const std::string& input : node.inputs) {
    if (input.empty()) continue;
    const auto bytes = lookup.bytes(input);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

}  // namespace

Work work_of(const Node& node, const Graph& graph, const ValueTypes& types) {
  const Lookup lookup(graph, types);
  return {.bytes = bytes_of(node, lookup),
          .operations = operations_of(node, lookup),
          .integer = uses_codes(node.kind)};
}

std::string type_text(const std::string& value, const Graph& graph, const ValueTypes& types) {
  const std::optional<TensorType> type = Lookup(graph, types).find(value);
  if (!type) return "";
  return std::string(name(type->dtype)) + to_string(type->shape);
}

}  // namespace quantlens
