// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/obstacles.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace quantlens {
namespace {

bool all_finite(const Tensor& tensor) {
  const Tensor values = aligned(tensor);
  return std::ranges::all_of(values.data<float>(), [](float v) { return std::isfinite(v); });
}

}  // namespace

std::string constant_obstacle(const Tensor& tensor, const std::string& what) {
  if (tensor.dtype() != DType::float32) {
    return fmt::format("its {} is {}, not float32", what, name(tensor.dtype()));
  }
  if (!all_finite(tensor)) return fmt::format("its {} holds NaN or infinity", what);
  return {};
}

std::string type_obstacle(const Node& node, std::span<const std::size_t> inputs,
                          const std::unordered_map<std::string, DType>& types) {
  for (const std::size_t input : inputs) {
    const auto type = types.find(node.inputs[input]);
    if (type == types.end() || type->second == DType::float32) continue;
    return is_float(type->second)
               ? fmt::format(
                     "it computes in {}, and only float32 is quantized: convert the "
                     "model to float32 first",
                     name(type->second))
               : fmt::format("its data are {}", name(type->second));
  }
  return {};
}

bool is_whole(const Vocabulary& vocabulary) {
  return !vocabulary.version.empty() && vocabulary.whole == vocabulary.version;
}

std::string opaque_obstacle(const Graph& graph, const Node& node) {
  const bool any = std::ranges::any_of(
      node.inputs, [&](const std::string& input) { return graph.opaque_weights.contains(input); });
  if (!any) return {};
  return "its operand is stored in a form that is not read (sparse, or of another element type)";
}

}  // namespace quantlens
