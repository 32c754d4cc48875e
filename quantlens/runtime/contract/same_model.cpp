// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/same_model.h"

#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace quantlens::contract {
namespace {

std::string text(const std::string& value) {
  return fmt::format("{}:{}", value.size(), value);
}
std::string text(const Tensor& tensor) {
  return fmt::format(
      "{} {} {} {}", name(tensor.dtype()), tensor.shape(), tensor.strings(),
      text({reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()}));
}
template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

std::string text(const ValueInfo& info) {
  std::string out = text(info.name);
  if (info.dtype) out += fmt::format(" {}", name(*info.dtype));
  if (!info.shape) return out + " any shape";
  for (const Dim& dim : *info.shape) {
    out += fmt::format(" [{} {}]", dim.extent.value_or(-7), text(dim.symbol));
  }
  return out;
}

std::string text(const Node& node) {
  std::string out = fmt::format("node {} {} {} {} {} {}", text(node.name), text(node.type),
                                text(node.domain), to_string(node.kind), node.inputs, node.outputs);
  for (const auto& [key, attribute] : node.attributes) {
    out += fmt::format("\n  {} {} {}", text(key), attribute.index(),
                       std::visit([](const auto& value) { return text(value); }, attribute));
  }
  for (const auto& [key, body] : node.subgraphs) out += text(key) + whole_text(*body);
  for (const ResultType& result : node.results) {
    out += fmt::format(" -> {} {}", result.dtype ? name(*result.dtype) : "like", result.like);
  }
  return out;
}

}  // namespace

std::string whole_text(const Graph& graph) {
  std::string out = "graph " + text(graph.name);
  for (const Node& node : graph.nodes) out += '\n' + text(node);
  for (const ValueInfo& info : graph.inputs) out += "\ninput " + text(info);
  for (const ValueInfo& info : graph.outputs) out += "\noutput " + text(info);
  for (const auto& [name, info] : graph.values) out += "\nvalue " + text(name) + text(info);
  for (const auto& [name, weight] : graph.weights) out += "\nweight " + text(name) + text(weight);
  for (const std::string& name : graph.opaque_weights) out += "\nopaque " + text(name);
  return out;
}

std::string whole_text(const Model& model) {
  return fmt::format("{} {} {}\n{}", model.format, model.opsets, model.metadata,
                     whole_text(model.graph));
}

}  // namespace quantlens::contract
