// Small models for the tests of this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/frontend/onnx/onnx.h"

namespace quantlens::onnxruntime {

inline ValueInfo info(const std::string& name, DType dtype,
                      const std::vector<std::optional<std::int64_t>>& extents) {
  ValueInfo value{.name = name, .dtype = dtype, .shape = std::vector<Dim>()};
  for (const auto& extent : extents) value.shape->push_back({extent, ""});
  return value;
}

inline Node op(const std::string& type, std::vector<std::string> inputs, const std::string& output,
               std::map<std::string, Attribute> attributes = {}) {
  Node node;
  node.name = output + "_node";
  node.type = type;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  node.attributes = std::move(attributes);
  return node;
}

inline Model model_of(const Graph& graph, std::int64_t opset = 13) {
  return onnx::read("model.onnx", MappedFile::from_bytes(onnx::serialize(graph, {{"", opset}})));
}

}  // namespace quantlens::onnxruntime
