// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/element_types.h"

#include <algorithm>

#include "quantlens/graph/roles_of.h"

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

/// Of codes: what the op says, else the type of the zero point that they have.
std::optional<DType> code_type(const GraphIndex& index, const Types& types, const Node& node,
                               std::size_t zero_point) {
  const auto* coding = role<roles::Coding>(node);
  if (coding != nullptr && coding->codes) return coding->codes;
  return type_of(index, types, node, zero_point);
}

/// Of a product of codes that may be told as floats.
std::optional<DType> gemm_type(const GraphIndex& index, const Types& types, const Node& node) {
  constexpr std::size_t kZeroPoint = 8, kScale = 1;
  const bool has_codes = node.inputs.size() > kZeroPoint && !node.inputs[kZeroPoint].empty();
  return type_of(index, types, node, has_codes ? kZeroPoint : kScale);
}

/// What the op's first output holds; nothing for ops of which that is not known.
std::optional<DType> result_type(const GraphIndex& index, const Types& types, const Node& node) {
  switch (node.kind) {
    case Kind::other:
    case Kind::cast:
    case Kind::control_flow:
      return std::nullopt;
    case Kind::matmul_integer:
    case Kind::conv_integer:
      return DType::int32;
    case Kind::dynamic_quantize:
      return DType::uint8;
    case Kind::shape_of:
    case Kind::arg_max:
      return DType::int64;
    case Kind::quantize:
      return code_type(index, types, node, 2);
    case Kind::dequantize:
      return code_type(index, types, node, 1);  // in that of its scales
    case Kind::qconv:
    case Kind::qmatmul:
      return type_of(index, types, node, 7);
    case Kind::qgemm:
      return gemm_type(index, types, node);
    case Kind::matmul_integer_to_float:  // in that of its scales
    case Kind::gather_blocks:
      return type_of(index, types, node, 2);
    case Kind::where:
    case Kind::qwhere:
    case Kind::qconcat:
      return type_of(index, types, node, 1);
    default:  // all others compute in the type of what they read
      return type_of(index, types, node, 0);
  }
}

/// Of outputs behind the first, as far as they are known.
std::optional<DType> further_type(const Node& node, std::size_t output,
                                  const std::optional<DType>& first) {
  switch (node.kind) {
    case Kind::split:
    case Kind::recurrent:
      return first;
    case Kind::max_pool:
      return DType::int64;
    case Kind::dropout:
      return DType::boolean;
    case Kind::dynamic_quantize:
      return output == 1 ? DType::float32 : DType::uint8;
    default:
      return std::nullopt;
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
    if (!node.results.empty() || node.outputs.empty()) continue;
    const std::optional<DType> type = result_type(index, types, node);
    set(node.outputs.front(), type);
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      set(node.outputs[i], further_type(node, i, type));
  }
  return types;
}

}  // namespace quantlens
