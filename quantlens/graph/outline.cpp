// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/outline.h"

#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace quantlens {
namespace {

constexpr std::size_t kMostItems = 16;  // of a list
constexpr std::size_t kMostBytes = 200;

template <class T>
std::string list_text(const std::vector<T>& items) {
  const auto last = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), kMostItems));
  return fmt::format("[{}{}]", fmt::join(items.begin(), last, ","),
                     items.size() > kMostItems ? ",..." : "");
}

std::string tensor_text(const Tensor& tensor) {
  return fmt::format("{} [{}]", name(tensor.dtype()), fmt::join(tensor.shape(), ","));
}

std::string attribute_text(const Attribute& attribute) {
  std::string text = std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return value;
        } else if constexpr (std::is_same_v<T, Tensor>) {
          return tensor_text(value);
        } else if constexpr (std::is_arithmetic_v<T>) {
          return fmt::format("{}", value);
        } else {
          return list_text(value);
        }
      },
      attribute);
  if (text.size() > kMostBytes) text.replace(kMostBytes, std::string::npos, "...");
  return text;
}

void add_ops(const Graph& graph, const std::string& scope, std::vector<OpOutline>& ops) {
  for (const Node& node : graph.nodes) {
    const std::string id = scope.empty() ? op_id(node) : scope + '/' + op_id(node);
    OpOutline op{.op = id,
                 .name = op_name(node),
                 .type = node.type,
                 .kind = std::string(to_string(node.kind)),
                 .scope = scope,
                 .inputs = node.inputs,
                 .outputs = node.outputs,
                 .attributes = {}};
    for (const auto& [key, value] : node.attributes) op.attributes[key] = attribute_text(value);
    ops.push_back(std::move(op));
    for (const auto& [key, body] : node.subgraphs) add_ops(*body, id, ops);
  }
}

}  // namespace

ValueOutline outline(const ValueInfo& value) {
  ValueOutline result{.name = value.name, .dtype = "?", .shape = "?"};
  if (value.dtype) result.dtype = std::string(name(*value.dtype));
  if (!value.shape) return result;
  std::vector<std::string> dims;
  for (const Dim& dim : *value.shape) {
    const std::string& symbol = dim.symbol.empty() ? "?" : dim.symbol;
    dims.push_back(dim.extent ? std::to_string(*dim.extent) : symbol);
  }
  result.shape = fmt::format("[{}]", fmt::join(dims, ","));
  return result;
}

GraphOutline outline(const Graph& graph) {
  GraphOutline result;
  for (const ValueInfo& input : graph.inputs) result.inputs.push_back(outline(input));
  for (const ValueInfo& output : graph.outputs) result.outputs.push_back(outline(output));
  for (const auto& [key, weight] : graph.weights) {
    result.weights.push_back({.name = key,
                              .dtype = std::string(name(weight.dtype())),
                              .shape = fmt::format("[{}]", fmt::join(weight.shape(), ","))});
  }
  for (const auto& [key, value] : graph.values) result.values.push_back(outline(value));
  add_ops(graph, "", result.ops);
  return result;
}

}  // namespace quantlens
