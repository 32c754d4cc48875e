// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/stand_in.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "quantlens/frontend/onnx/onnx.h"

namespace quantlens {

std::optional<Model> stand_in(const Model& model) {
  const std::vector<ValueInfo>& inputs = model.graph.inputs;
  const bool are_tensors =
      std::ranges::all_of(inputs, [](const ValueInfo& input) { return input.dtype.has_value(); });
  if (inputs.empty() || !are_tensors) return std::nullopt;
  Graph graph;
  graph.inputs = inputs;
  Node extents;
  extents.type = "Shape";
  extents.inputs = {inputs.front().name};
  extents.outputs = {kStandInValue};
  graph.nodes.push_back(extents);
  graph.outputs = {{.name = kStandInValue, .dtype = DType::int64, .shape = std::nullopt}};
  constexpr std::int64_t kOpset = 13;
  return onnx::read(model.path, MappedFile::from_bytes(onnx::serialize(graph, {{"", kOpset}})));
}

}  // namespace quantlens
