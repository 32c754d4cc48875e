// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/element_types.h"

#include <algorithm>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

using Types = std::unordered_map<std::string, DType>;

std::optional<DType> type_of(const GraphIndex& index, const Types& types,
                             const std::string& value) {
  if (const Tensor* constant = index.constant(value)) return constant->dtype();
  const auto known = types.find(value);
  return known == types.end() ? std::nullopt : std::optional(known->second);
}

/// Of a Coding: what the op says, else the type of one of its inputs.
std::optional<DType> coded_type(const GraphIndex& index, const Types& types, const Node& node,
                                const std::string& like) {
  const auto* coding = role<roles::Coding>(node);
  if (coding != nullptr && coding->codes) return coding->codes;
  return type_of(index, types, like);
}

/// Of an op on codes: that of the zero point of its result, or of the scales of what it reads where
/// its result is floats.
std::optional<DType> type_on_codes(const GraphIndex& index, const Types& types, const Node& node) {
  const std::optional<IntegerOp> op = integer_op(node);
  if (!op) return std::nullopt;
  const CodeInputs& like = op->output ? *op->output : op->operands.front();
  const std::optional<std::size_t> input = op->output ? like.zero_point : like.scale;
  return input ? type_of(index, types, input_of(node, *input)) : std::nullopt;
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
      return coded_type(index, types, node, zero_point_of(node));
    case Kind::dequantize:
      return coded_type(index, types, node, scale_of(node));
    case Kind::qconv:
    case Kind::qmatmul:
    case Kind::qgemm:
    case Kind::qconcat:
    case Kind::qwhere:
    case Kind::matmul_integer_to_float:
      return type_on_codes(index, types, node);
    case Kind::gather_blocks:  // in that of its scales
      return type_of(index, types, input_of(node, role<roles::BlockMatrix>(node)->operands.scales));
    case Kind::where:
      return type_of(index, types, input_of(node, role<roles::Choice>(node)->operands.chosen));
    default:  // all others compute in the type of what they read
      return type_of(index, types, input_of(node, 0));
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
      set(node.outputs[i],
          result.dtype ? result.dtype : type_of(index, types, input_of(node, result.like)));
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
