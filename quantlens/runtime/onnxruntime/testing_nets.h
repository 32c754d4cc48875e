// Small nets with every int8 kernel, real ones where they are, and a look into the graph that the
// runtime really ran: for this folder's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::onnxruntime {

/// Repeatable numbers in -1..1.
inline std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> out(count);
  for (float& value : out) value = values(random);
  return out;
}

/// x [N,3,8,8] -> conv, relu -> conv, relu -> max pool -> flatten -> matmul -> y [N,10]
inline Graph small_net() {
  const std::map<std::string, Attribute> same = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  const std::map<std::string, Attribute> half = {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                                 {"strides", std::vector<std::int64_t>{2, 2}}};
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 3, 8, 8})};
  graph.weights = {{"w1", Tensor::from<float>({16, 3, 3, 3}, numbers(432, 1))},
                   {"w2", Tensor::from<float>({32, 16, 3, 3}, numbers(4608, 2))},
                   {"w3", Tensor::from<float>({512, 10}, numbers(5120, 3))}};
  graph.nodes = {op("Conv", {"x", "w1"}, "c1", same),  op("Relu", {"c1"}, "r1"),
                 op("Conv", {"r1", "w2"}, "c2", same), op("Relu", {"c2"}, "r2"),
                 op("MaxPool", {"r2"}, "p", half),     op("Flatten", {"p"}, "f"),
                 op("MatMul", {"f", "w3"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 10})};
  return graph;
}

/// Scale and zero point of values' uint8 codes.
using Params = std::map<std::string, std::pair<float, std::uint8_t>>;

/// x [N,8,8,8] -> two branches of convolutions, and most ops that have int8 kernels -> y, z [N,10]
inline Graph branching_net() {
  const std::map<std::string, Attribute> same = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  const std::map<std::string, Attribute> half = {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                                 {"strides", std::vector<std::int64_t>{2, 2}}};
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 8, 8, 8})};
  graph.weights = {{"w1", Tensor::from<float>({8, 8, 3, 3}, numbers(576, 1))},
                   {"w2", Tensor::from<float>({8, 8, 3, 3}, numbers(576, 2))},
                   {"w3", Tensor::from<float>({16, 10}, numbers(160, 3))},
                   {"w4", Tensor::from<float>({16, 10}, numbers(160, 4))}};
  graph.nodes = {op("Conv", {"x", "w1"}, "a", same),
                 op("Conv", {"x", "w2"}, "b", same),
                 op("Add", {"a", "b"}, "c"),
                 op("Sigmoid", {"c"}, "d"),
                 op("Mul", {"c", "d"}, "e"),
                 op("LeakyRelu", {"e"}, "f"),
                 op("Concat", {"c", "f"}, "g", {{"axis", std::int64_t{1}}}),
                 op("AveragePool", {"g"}, "h", half),
                 op("GlobalAveragePool", {"h"}, "i"),
                 op("Flatten", {"i"}, "j"),
                 op("Gemm", {"j", "w3"}, "y"),
                 op("MatMul", {"j", "w4"}, "z")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 10}),
                   info("z", DType::float32, {std::nullopt, 10})};
  return graph;
}

/// Adds Q and DQ behind `value`; what it is called from then on is returned.
inline std::string add_pair(Graph& graph, const std::string& value, float scale,
                            std::uint8_t zero_point) {
  graph.weights[value + "_s"] = Tensor::scalar(scale);
  graph.weights[value + "_z"] = Tensor::scalar(zero_point);
  graph.nodes.push_back(op("QuantizeLinear", {value, value + "_s", value + "_z"}, value + "_q"));
  graph.nodes.push_back(
      op("DequantizeLinear", {value + "_q", value + "_s", value + "_z"}, value + "_dq"));
  return value + "_dq";
}

/// The net as QDQ: all its weights, and the activations in `params`.
inline Graph quantized_net(const Graph& from, const Params& params) {
  Graph graph;
  graph.inputs = from.inputs;
  std::map<std::string, std::string> now;  // what reads a value reads this instead
  for (const auto& [name, weight] : from.weights) {
    std::vector<std::int8_t> codes;
    for (const float value : weight.data<float>()) {
      codes.push_back(static_cast<std::int8_t>(std::lround(value * 127)));
    }
    graph.weights[name + "_q"] = Tensor::from<std::int8_t>(weight.shape(), codes);
    graph.weights[name + "_s"] = Tensor::scalar(1.0f / 127);
    graph.weights[name + "_z"] = Tensor::scalar(std::int8_t{0});
    now[name] = name + "_dq";
    graph.nodes.push_back(
        op("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, now[name]));
  }
  const auto add = [&](const std::string& value) {
    const auto found = params.find(value);
    if (found == params.end()) return;
    now[value] = add_pair(graph, value, found->second.first, found->second.second);
  };
  for (const ValueInfo& input : from.inputs) add(input.name);
  for (Node node : from.nodes) {
    for (std::string& input : node.inputs) input = now.contains(input) ? now[input] : input;
    graph.nodes.push_back(node);
    add(node.outputs[0]);
  }
  for (ValueInfo output : from.outputs) {
    if (now.contains(output.name)) output.name = now[output.name];
    graph.outputs.push_back(output);
  }
  return graph;
}

inline Graph small_net_quantized() {
  return quantized_net(small_net(), {{"x", {2.0f / 255, 128}},
                                     {"r1", {0.03f, 0}},
                                     {"r2", {0.15f, 0}},
                                     {"p", {0.15f, 0}},
                                     {"f", {0.15f, 0}},
                                     {"y", {2.0f, 128}}});
}

inline Graph branching_net_quantized() {
  Params params = {{"x", {2.0f / 255, 128}}, {"d", {1.0f / 256, 0}}, {"y", {0.1f, 128}}};
  for (const char* value : {"a", "b", "c", "e", "f", "g", "h", "i", "j"}) {
    params[value] = {0.15f, 128};
  }
  return quantized_net(branching_net(), params);  // z stays float: MatMulIntegerToFloat makes it
}

/// The same quantized net with int8 activations: all codes 128 lower.
inline Graph with_signed_codes(Graph graph) {
  for (auto& [name, weight] : graph.weights) {
    if (weight.dtype() != DType::uint8) continue;
    weight = Tensor::scalar(static_cast<std::int8_t>(weight.data<std::uint8_t>()[0] - 128));
  }
  return graph;
}

/// A folder for dumps that goes with the test.
struct Folder {
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  fs::path path = fs::temp_directory_path() / ("quantlens_kernels_" + std::to_string(getpid()));
};

inline Batch batch_for(const Model& model, std::int64_t size) {
  Batch batch;
  const ValueInfo& input = model.graph.inputs.at(0);
  Shape shape;
  for (const Dim& dim : *input.shape) shape.push_back(dim.extent.value_or(size));
  for (std::int64_t i = 0; i < shape[0]; ++i)
    batch.samples.push_back(static_cast<std::uint64_t>(i));
  const auto count = static_cast<std::size_t>(element_count(shape).value());
  batch.inputs.emplace(input.name, Tensor::from(shape, numbers(count, 7)));
  return batch;
}

/// Both models of shared/testdata, or nothing where it is not there.
inline std::optional<std::pair<Model, Model>> testdata_models(const std::string& reference,
                                                              const std::string& quantized) {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  const fs::path folder = named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/testdata";
  const fs::path first = folder / "models" / reference, second = folder / "foreign" / quantized;
  if (!fs::exists(first) || !fs::exists(second)) return std::nullopt;
  return std::pair(onnx::read(first, MappedFile::open(first)),
                   onnx::read(second, MappedFile::open(second)));
}

}  // namespace quantlens::onnxruntime
