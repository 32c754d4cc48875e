// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/probe_models.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/probe_models.h"

namespace quantlens::frontend {
namespace {

constexpr std::int64_t kOpset = 13;

ValueInfo value(const std::string& name, DType dtype, const std::vector<std::int64_t>& extents) {
  ValueInfo info{.name = name, .dtype = dtype, .shape = std::vector<Dim>()};
  for (const std::int64_t extent : extents) info.shape->push_back({extent, ""});
  return info;
}

Node node(const std::string& type, std::vector<std::string> inputs, const std::string& output) {
  Node made;
  made.name = output + "_op";
  made.type = type;
  made.inputs = std::move(inputs);
  made.outputs = {output};
  return made;
}

Model model_of(const Graph& graph, const fs::path& path = "synthetic.onnx") {
  return onnx::read(path, MappedFile::from_bytes(onnx::serialize(graph, {{"", kOpset}})));
}

}  // namespace

std::optional<Model> stand_in(const Model& model) {
  const std::vector<ValueInfo>& inputs = model.graph.inputs;
  const bool are_tensors =
      std::ranges::all_of(inputs, [](const ValueInfo& input) { return input.dtype.has_value(); });
  if (inputs.empty() || !are_tensors) return std::nullopt;
  if (model.format == "graphdef") return graphdef::stand_in(model);
  if (model.format != "onnx") return std::nullopt;
  Graph graph;
  graph.inputs = inputs;
  graph.nodes = {node("Shape", {inputs.front().name}, kStandInValue)};
  graph.outputs = {{.name = kStandInValue, .dtype = DType::int64, .shape = std::nullopt}};
  return model_of(graph, model.path);
}

}  // namespace quantlens::frontend

namespace quantlens::onnx {

Model chain_model(std::size_t length, std::int64_t elements) {
  constexpr std::array kTypes = {"Abs", "Neg", "Sigmoid", "Add", "Tanh", "Floor"};
  Graph graph;
  graph.inputs = {frontend::value("x0", DType::float32, {1, elements})};
  for (std::size_t i = 0; i < length; ++i) {
    const std::string type = kTypes[i % kTypes.size()];
    std::vector<std::string> inputs{fmt::format("x{}", i)};
    if (type == "Add") inputs.emplace_back("x0");
    graph.nodes.push_back(frontend::node(type, std::move(inputs), fmt::format("x{}", i + 1)));
  }
  graph.outputs = {frontend::value(fmt::format("x{}", length), DType::float32, {1, elements})};
  return frontend::model_of(graph);
}

Model product_model(std::int64_t n, bool integer) {
  const auto count = static_cast<std::size_t>(n * n);
  Graph graph;
  const DType dtype = integer ? DType::uint8 : DType::float32;
  graph.inputs = {frontend::value("a", dtype, {n, n})};
  graph.outputs = {frontend::value("c", dtype, {n, n})};
  if (!integer) {
    graph.weights.emplace("b", Tensor::from<float>({n, n}, std::vector<float>(count, 0.5F)));
    graph.nodes = {frontend::node("MatMul", {"a", "b"}, "c")};
    return frontend::model_of(graph);
  }
  graph.weights.emplace("b", Tensor::from<std::int8_t>({n, n}, std::vector<std::int8_t>(count, 1)));
  graph.weights.emplace("scale", Tensor::scalar(0.5F));
  graph.weights.emplace("zero", Tensor::scalar(std::uint8_t{1}));
  graph.weights.emplace("zero_b", Tensor::scalar(std::int8_t{0}));
  graph.nodes = {frontend::node(
      "QLinearMatMul", {"a", "scale", "zero", "b", "scale", "zero_b", "scale", "zero"}, "c")};
  return frontend::model_of(graph);
}

}  // namespace quantlens::onnx
