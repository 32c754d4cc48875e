// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/qdq_graph.h"

#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

void rename(std::vector<std::string>& list, std::size_t number,
            const std::map<std::size_t, std::map<std::size_t, std::string>>& edits) {
  const auto found = edits.find(number);
  if (found == edits.end()) return;
  for (const auto& [position, name] : found->second) {
    if (position >= list.size()) list.resize(position + 1);
    list[position] = name;
  }
}

}  // namespace

QdqGraph::QdqGraph(const Graph& graph, const PlanEdit& plan) {
  const Edit& edit = plan.edit;
  for (const auto& [name, tensor] : edit.weights) parameters_.emplace(name, tensor);
  for (const NewWeight& weight : plan.weights) shapes_.emplace(weight.name, weight.shape);
  for (const ValueInfo& output : graph.outputs) outputs_.insert(output.name);
  for (std::size_t i = 0; i <= graph.nodes.size(); ++i) {
    const auto [begin, end] = edit.inserted.equal_range(i);
    for (auto at = begin; at != end; ++at) {
      nodes_.push_back({.node = at->second, .original = {}, .before = i, .captured = {}});
    }
    if (i < graph.nodes.size() && !edit.removed.contains(i)) {
      nodes_.push_back(edited(graph, edit, i));
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) connect(i);
}

EditedNode QdqGraph::edited(const Graph& graph, const Edit& edit, std::size_t number) const {
  const Node& old = graph.nodes[number];
  EditedNode result{
      .node = old, .original = number, .before = number, .captured = captured_values(old)};
  rename(result.node.inputs, number, edit.inputs);
  rename(result.node.outputs, number, edit.outputs);
  if (const auto found = edit.captured.find(number); found != edit.captured.end()) {
    for (std::string& name : result.captured) {
      if (const auto to = found->second.find(name); to != found->second.end()) name = to->second;
    }
  }
  return result;
}

void QdqGraph::connect(std::size_t number) {
  const EditedNode& edited = nodes_[number];
  for (const std::string& output : edited.node.outputs) makers_[output] = number;
  for (const auto* list : {&edited.node.inputs, &edited.captured}) {
    for (const std::string& input : *list) {
      if (!input.empty()) readers_[input].push_back(number);
    }
  }
}

std::optional<std::size_t> QdqGraph::only_reader(const std::string& value) const {
  const auto found = readers_.find(value);
  if (found == readers_.end() || found->second.size() != 1 || is_output(value)) return {};
  return found->second[0];
}

std::optional<Coded> QdqGraph::coded(const EditedNode& link, const std::string& tensor) const {
  const auto scales = parameters_.find(link.node.inputs[1]);
  const auto zero_points = parameters_.find(link.node.inputs[2]);
  if (scales == parameters_.end() || zero_points == parameters_.end()) return std::nullopt;
  Coded codes{.tensor = tensor,
              .scale = scales->first,
              .zero_point = zero_points->first,
              .scales = scales->second,
              .zero_points = zero_points->second,
              .axis = {},
              .shape = {}};
  if (link.node.attributes.contains("axis")) {
    codes.axis = static_cast<int>(attribute_int(link.node, "axis", 0));
  }
  const auto shape = shapes_.find(tensor);
  if (shape != shapes_.end()) codes.shape = shape->second;
  return codes;
}

std::optional<Coded> QdqGraph::dequantized_from(const std::string& value) const {
  const auto maker = makers_.find(value);
  if (value.empty() || maker == makers_.end()) return std::nullopt;
  const EditedNode& link = nodes_[maker->second];
  if (link.original || link.node.type != "DequantizeLinear") return std::nullopt;
  return coded(link, link.node.inputs[0]);
}

std::optional<QdqGraph::Quantized> QdqGraph::quantized_to(const std::string& value) const {
  const auto reader = only_reader(value);
  if (!reader) return std::nullopt;
  const EditedNode& link = nodes_[*reader];
  if (link.original || link.node.type != "QuantizeLinear") return std::nullopt;
  auto codes = coded(link, link.node.outputs[0]);
  if (!codes) return std::nullopt;
  return Quantized{.node = *reader, .codes = std::move(*codes)};
}

}  // namespace quantlens::onnx
