// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Writes small graphs down, for tests: one call a node, in order.
class SmallGraph {
 public:
  /// Of a format whose runtime the quantizer knows.
  SmallGraph() { model_.format = "onnx"; }

  SmallGraph& input(const std::string& name) {
    model_.graph.inputs.push_back({.name = name, .dtype = DType::float32, .shape = {}});
    return *this;
  }
  SmallGraph& output(const std::string& name, DType dtype = DType::float32) {
    model_.graph.outputs.push_back({.name = name, .dtype = dtype, .shape = {}});
    return *this;
  }
  SmallGraph& weight(const std::string& name, Shape shape, std::vector<float> values) {
    model_.graph.weights[name] = Tensor::from<float>(std::move(shape), std::move(values));
    return *this;
  }
  SmallGraph& constant(const std::string& name, Tensor tensor) {
    model_.graph.weights[name] = std::move(tensor);
    return *this;
  }
  SmallGraph& metadata(const std::string& key, const std::string& value) {
    model_.metadata[key] = value;
    return *this;
  }
  /// The node is named and typed like its kind and makes one value.
  SmallGraph& node(Kind kind, std::vector<std::string> inputs, const std::string& output) {
    model_.graph.nodes.push_back({.name = "node_" + output,
                                  .type = std::string(to_string(kind)),
                                  .domain = {},
                                  .kind = kind,
                                  .inputs = std::move(inputs),
                                  .outputs = {output},
                                  .attributes = {},
                                  .subgraphs = {}});
    return *this;
  }
  /// A role of the last node, where it is another than its kind says.
  template <class Role, class T>
  SmallGraph& set(T Role::*field, std::type_identity_t<T> value) {
    Node& node = model_.graph.nodes.back();
    if (std::holds_alternative<std::monostate>(node.roles)) node.roles = default_roles(node.kind);
    std::get<Role>(node.roles).*field = std::move(value);
    return *this;
  }
  SmallGraph& attribute(const std::string& key, Attribute value) {
    model_.graph.nodes.back().attributes[key] = std::move(value);
    return *this;
  }
  const Model& model() const { return model_; }
  const Graph& graph() const { return model_.graph; }

 private:
  Model model_;
};

}  // namespace quantlens
