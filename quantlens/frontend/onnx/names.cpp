// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/names.h"

namespace quantlens::onnx {

std::string FreeNames::take(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

void FreeNames::add(const Graph& graph) {
  for (const ValueInfo& input : graph.inputs) taken_.insert(input.name);
  for (const ValueInfo& output : graph.outputs) taken_.insert(output.name);
  for (const auto& [name, weight] : graph.weights) taken_.insert(name);
  taken_.insert(graph.opaque_weights.begin(), graph.opaque_weights.end());
  for (const auto& [name, info] : graph.values) taken_.insert(name);
  for (const Node& node : graph.nodes) {
    taken_.insert(node.name);
    taken_.insert(node.outputs.begin(), node.outputs.end());
    for (const auto& [key, body] : node.subgraphs) add(*body);
  }
}

}  // namespace quantlens::onnx
