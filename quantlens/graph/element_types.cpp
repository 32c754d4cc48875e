// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/element_types.h"

#include <algorithm>

namespace quantlens {
namespace {

using Types = std::unordered_map<std::string, DType>;

std::optional<DType> type_of(const GraphIndex& index, const Types& types, const Node& node,
                             std::size_t input) {
  if (input >= node.inputs.size()) return std::nullopt;
  if (const Tensor* constant = index.constant(node.inputs[input])) return constant->dtype();
  const auto known = types.find(node.inputs[input]);
  return known == types.end() ? std::nullopt : std::optional(known->second);
}

/// What the op's first output holds; nothing for ops of which that is not known.
std::optional<DType> result_type(const GraphIndex& index, const Types& types, const Node& node) {
  switch (node.kind) {
    case Kind::other:
    case Kind::cast:
    case Kind::quantize:
    case Kind::dequantize:
    case Kind::matmul_integer:
    case Kind::conv_integer:
    case Kind::control_flow:
      return std::nullopt;
    case Kind::dynamic_quantize:
      return DType::uint8;
    case Kind::shape_of:
    case Kind::arg_max:
      return DType::int64;
    case Kind::matmul_integer_to_float:  // in that of its scales
    case Kind::gather_blocks:
      return type_of(index, types, node, 2);
    case Kind::where:
      return type_of(index, types, node, 1);
    default:  // all others compute in the type of what they read
      return type_of(index, types, node, 0);
  }
}

void add(Types& types, const std::vector<ValueInfo>& values) {
  for (const ValueInfo& value : values) {
    if (value.dtype) types.emplace(value.name, *value.dtype);
  }
}

}  // namespace

Types element_types(const GraphIndex& index) {
  const Graph& graph = index.graph();
  Types types;
  add(types, graph.inputs);
  add(types, graph.outputs);
  for (const auto& [name, value] : graph.values) {
    if (value.dtype) types.emplace(name, *value.dtype);
  }
  const auto set = [&](const std::string& value, std::optional<DType> type) {
    if (type && !value.empty()) types.emplace(value, *type);
  };
  for (const Node& node : graph.nodes) {
    for (std::size_t i = 0; i < std::min(node.results.size(), node.outputs.size()); ++i) {
      const ResultType& result = node.results[i];
      set(node.outputs[i], result.dtype ? result.dtype : type_of(index, types, node, result.like));
    }
    if (!node.results.empty()) continue;
    const std::optional<DType> type = result_type(index, types, node);
    set(op_id(node), type);
    if (node.kind != Kind::split) continue;  // all that it makes is of one type
    for (const std::string& output : node.outputs) set(output, type);
  }
  return types;
}

}  // namespace quantlens
