// Small models, and taps on what a QDQ model quantizes: for this folder's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/run.h"

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

/// Every activation that `quantized` quantizes per tensor and `reference` has under the same name,
/// against its codes.
inline std::vector<PairTap> pairs_by_name(const Model& reference, const Model& quantized) {
  const GraphIndex floats(reference.graph), index(quantized.graph);
  std::vector<PairTap> pairs;
  for (const Node& node : quantized.graph.nodes) {
    if (node.kind != Kind::quantize || node.inputs.size() < 3) continue;
    const std::string& value = node.inputs[0];
    const Tensor* scale = index.constant(node.inputs[1]);
    const Tensor* zero_point = index.constant(node.inputs[2]);
    const bool found = floats.is_input(value) || floats.producer(value);
    if (!found || scale == nullptr || scale->size() != 1 || zero_point == nullptr) continue;
    PairTap pair{.reference = value, .quantized = node.outputs[0]};
    pair.scheme.emplace().dtype = zero_point->dtype();
    pair.params = {to_float32(*scale).data<float>()[0],
                   static_cast<std::int32_t>(to_int64(*zero_point)[0])};
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// Taps on the float side of those pairs.
inline std::vector<Tap> taps_of(const std::vector<PairTap>& pairs) {
  std::vector<Tap> taps;
  std::set<std::string> seen;
  for (const PairTap& pair : pairs) {
    if (seen.insert(pair.reference).second) taps.push_back({.value = pair.reference});
  }
  return taps;
}

}  // namespace quantlens::onnxruntime
