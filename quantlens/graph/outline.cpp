// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/outline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/graph/element_types.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/graph/shapes.h"

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

/// Whether all lists in it are.
template <class T>
bool is_short(const T& value) {
  if constexpr (boost::describe::has_describe_members<T>::value) {
    bool all = true;
    boost::mp11::mp_for_each<boost::describe::describe_members<T, boost::describe::mod_public>>(
        [&](auto member) { all = all && is_short(value.*member.pointer); });
    return all;
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    return value.size() <= kMostItems;
  } else {
    return true;
  }
}

/// Nothing of long ones.
RolesOutline short_roles(const Node& node) {
  const RolesOutline roles = outline(roles_of(node));
  const bool fits = std::visit([](const auto& role) { return is_short(role); }, roles);
  return fits ? roles : RolesOutline();
}

void add_ops(const Graph& graph, const std::string& scope, std::vector<OpOutline>& ops) {
  for (const Node& node : graph.nodes) {
    const std::string id = scope.empty() ? op_id(node) : scope + '/' + op_id(node);
    OpOutline op{.op = id,
                 .name = op_name(node),
                 .type = node.type,
                 .kind = node.kind,
                 .scope = scope,
                 .inputs = node.inputs,
                 .outputs = node.outputs,
                 .attributes = {},
                 .roles = short_roles(node)};
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

RolesOutline outline(const Roles& roles) {
  return std::visit(
      [](const auto& role) -> RolesOutline {
        using Role = std::decay_t<decltype(role)>;
        if constexpr (std::is_same_v<Role, roles::ConstantValue>) {
          return {};
        } else if constexpr (json::kLeftOutIfUsual<Role>) {
          return role == Role() ? RolesOutline() : role;
        } else {
          return role;
        }
      },
      roles);
}

GraphOutline outline(const Graph& graph) {
  const GraphIndex index(graph);
  const auto types = element_types(index);
  const Shapes known = shapes(index);
  const auto describe = [&](const std::string& name) {
    ValueInfo value{.name = name, .dtype = {}, .shape = {}};
    if (const auto type = types.find(name); type != types.end()) value.dtype = type->second;
    if (const Tensor* constant = index.constant(name)) value.dtype = constant->dtype();
    if (const auto shape = known.find(name); shape != known.end()) value.shape = shape->second;
    return outline(value);
  };
  GraphOutline result;
  for (const ValueInfo& input : graph.inputs) result.inputs.push_back(outline(input));
  for (const ValueInfo& output : graph.outputs) result.outputs.push_back(describe(output.name));
  for (const auto& [key, weight] : graph.weights) {
    result.weights.push_back({.name = key,
                              .dtype = std::string(name(weight.dtype())),
                              .shape = fmt::format("[{}]", fmt::join(weight.shape(), ","))});
  }
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty() && !index.is_output(output)) result.values.push_back(describe(output));
    }
  }
  add_ops(graph, "", result.ops);
  return result;
}

}  // namespace quantlens
