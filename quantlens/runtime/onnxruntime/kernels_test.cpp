// SPDX-License-Identifier: Apache-2.0
// That the runtime runs its int8 kernels on tapped models too, and gives the same outputs. Each
// test reads the graph that the very session under test really ran.
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/testing.h"

namespace quantlens::onnxruntime {
namespace {

/// Repeatable numbers in -1..1.
std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> out(count);
  for (float& value : out) value = values(random);
  return out;
}

/// x [N,3,8,8] -> conv, relu -> conv, relu -> max pool -> flatten -> matmul -> y [N,10]
Graph small_net() {
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

/// Adds Q and DQ behind `value`; what it is called from then on is returned.
std::string add_pair(Graph& graph, const std::string& value, float scale, std::uint8_t zero_point) {
  graph.weights[value + "_s"] = Tensor::scalar(scale);
  graph.weights[value + "_z"] = Tensor::scalar(zero_point);
  graph.nodes.push_back(op("QuantizeLinear", {value, value + "_s", value + "_z"}, value + "_q"));
  graph.nodes.push_back(
      op("DequantizeLinear", {value + "_q", value + "_s", value + "_z"}, value + "_dq"));
  return value + "_dq";
}

/// The same net with its activations and weights quantized, as QDQ.
Graph small_net_quantized() {
  const Graph from = small_net();
  Graph graph;
  graph.inputs = from.inputs;
  graph.outputs = {info("y_dq", DType::float32, {std::nullopt, 10})};
  for (const auto& [name, weight] : from.weights) {
    std::vector<std::int8_t> codes;
    for (const float value : weight.data<float>()) {
      codes.push_back(static_cast<std::int8_t>(std::lround(value * 127)));
    }
    graph.weights[name + "_q"] = Tensor::from<std::int8_t>(weight.shape(), codes);
    graph.weights[name + "_s"] = Tensor::scalar(1.0f / 127);
    graph.weights[name + "_z"] = Tensor::scalar(std::int8_t{0});
    graph.nodes.push_back(
        op("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, name + "_dq"));
  }
  const std::map<std::string, std::pair<float, std::uint8_t>> params = {
      {"x", {2.0f / 255, 128}}, {"r1", {0.03f, 0}}, {"r2", {0.15f, 0}},
      {"p", {0.15f, 0}},        {"f", {0.15f, 0}},  {"y", {2.0f, 128}}};
  std::map<std::string, std::string> now = {{"w1", "w1_dq"}, {"w2", "w2_dq"}, {"w3", "w3_dq"}};
  now["x"] = add_pair(graph, "x", params.at("x").first, params.at("x").second);
  for (Node node : from.nodes) {
    for (std::string& input : node.inputs) input = now.contains(input) ? now[input] : input;
    graph.nodes.push_back(node);
    const std::string& value = node.outputs[0];
    if (const auto found = params.find(value); found != params.end()) {
      now[value] = add_pair(graph, value, found->second.first, found->second.second);
    }
  }
  return graph;
}

/// The same quantized net with int8 activations: all codes 128 lower.
Graph with_signed_codes(Graph graph) {
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

/// How often each int8 op stands in the graph that ran.
std::map<std::string, int> int8_ops(const fs::path& dump) {
  std::map<std::string, int> counts;
  const Model model = onnx::read(dump, MappedFile::open(dump));
  for (const Node& node : model.graph.nodes) {
    if (node.type.starts_with("QLinear") || node.type.find("Integer") != std::string::npos) {
      ++counts[node.type];
    }
  }
  return counts;
}

Batch batch_for(const Model& model, std::int64_t size) {
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

void expect_equal(const TensorMap& a, const TensorMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), b.at(name).bytes())) << name;
  }
}

class OnnxKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!status().available) GTEST_SKIP() << status().problem;
  }

  /// Runs the two with and without pairs on all quantized activations.
  void expect_undisturbed(const Model& reference, const Model& quantized, std::size_t least_pairs) {
    const Folder folder;
    const TapSpec spec{.taps = {}, .pairs = pairs_by_name(reference, quantized)};
    ASSERT_GE(spec.pairs.size(), least_pairs);
    const Batch batch = batch_for(reference, 2);
    const Outputs bare =
        onnxruntime::open(reference, &quantized, {}, {.optimized_dump = folder.path / "bare"})
            ->step(batch);
    const auto run =
        onnxruntime::open(reference, &quantized, spec, {.optimized_dump = folder.path / "tapped"});
    const Outputs tapped = run->step(batch);

    ASSERT_FALSE(fs::exists(folder.path / "tapped.quantized")) << "the two did not run as one";
    const auto ops = int8_ops(folder.path / "tapped");
    EXPECT_FALSE(ops.empty());
    EXPECT_EQ(ops, int8_ops(folder.path / "bare.quantized"));
    expect_equal(bare.quantized, tapped.quantized);
    EXPECT_EQ(run->take().pairs.size(), spec.pairs.size());
    if (HasFailure()) return;
    outputs_ = {bare, tapped};
  }

  /// Both models of shared/testdata, or a skip that says so.
  static std::optional<std::pair<Model, Model>> load(const std::string& reference,
                                                     const std::string& quantized) {
    const fs::path folder = fs::path(QUANTLENS_SOURCE_DIR) / "../shared/testdata";
    const fs::path first = folder / "models" / reference, second = folder / "foreign" / quantized;
    if (!fs::exists(first) || !fs::exists(second)) return std::nullopt;
    return std::pair(onnx::read(first, MappedFile::open(first)),
                     onnx::read(second, MappedFile::open(second)));
  }

  std::vector<Outputs> outputs_;
};

TEST_F(OnnxKernels, OfASmallNetSurviveItsTaps) {
  const Model reference = model_of(small_net()), quantized = model_of(small_net_quantized());
  expect_undisturbed(reference, quantized, 6);
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

TEST_F(OnnxKernels, OfASmallNetWithSignedCodesSurvive) {
  const Model reference = model_of(small_net());
  const Model quantized = model_of(with_signed_codes(small_net_quantized()));
  expect_undisturbed(reference, quantized, 6);
}

TEST_F(OnnxKernels, SignedAndUnsignedCodesGiveTheSameFigures) {
  const Model reference = model_of(small_net());
  std::vector<std::string> states;
  for (const Graph& graph : {small_net_quantized(), with_signed_codes(small_net_quantized())}) {
    const Model quantized = model_of(graph);
    const TapSpec spec{.taps = {}, .pairs = pairs_by_name(reference, quantized)};
    const auto run = onnxruntime::open(reference, &quantized, spec, {});
    run->step(batch_for(reference, 3));
    states.push_back(to_bytes(run->take()));
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST_F(OnnxKernels, AreTheSameForAnyNumberOfThreads) {
  const Model reference = model_of(small_net()), quantized = model_of(small_net_quantized());
  const std::vector<PairTap> pairs = pairs_by_name(reference, quantized);
  const TapSpec spec{.taps = taps_of(pairs), .pairs = pairs};
  std::vector<std::string> states;
  for (const unsigned threads : {1u, 4u}) {
    const auto run = onnxruntime::open(reference, &quantized, spec, {.threads = threads});
    run->step(batch_for(reference, 40));  // enough for threads to share the taps
    states.push_back(to_bytes(run->take()));
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST_F(OnnxKernels, GiveTheSameFiguresMergedAndApart) {
  const Model reference = model_of(small_net());
  const Model quantized = model_of(small_net_quantized());
  const Model newer = model_of(small_net_quantized(), 14);
  const TapSpec spec{.taps = {}, .pairs = pairs_by_name(reference, quantized)};
  const auto merged = onnxruntime::open(reference, &quantized, spec, {});
  const auto apart = onnxruntime::open(reference, &newer, spec, {});
  merged->step(batch_for(reference, 3));
  apart->step(batch_for(reference, 3));
  EXPECT_EQ(to_bytes(merged->take()), to_bytes(apart->take()));
}

TEST_F(OnnxKernels, OfMobileNetSurvive) {
  const auto models =
      load("mobilenet_v1_0.25_224.onnx", "mobilenet_v1_0.25_ort_qdq_per_tensor.onnx");
  if (!models) GTEST_SKIP() << "../shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 28);
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

TEST_F(OnnxKernels, OfSqueezeNetSurvive) {
  const auto models = load("squeezenet1.1.onnx", "squeezenet1.1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "../shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 26);
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

TEST_F(OnnxKernels, OfATransformerSurvive) {
  const auto models = load("kwt1.onnx", "kwt1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "../shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 102);
  // Values inside its float layer norms are tapped, too: those are then no longer fused, so float
  // outputs differ in their last bits.
}

TEST_F(OnnxKernels, OfATransformerWithSignedCodesSurvive) {
  const auto models = load("kwt1.onnx", "kwt1_nncf_qdq.onnx");
  if (!models) GTEST_SKIP() << "../shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 102);
}

TEST_F(OnnxKernels, OfALargerMobileNetSurvive) {
  const auto models = load("mobilenet_v1_0.75_224.onnx", "mobilenet_v1_0.75_quark_qdq.onnx");
  if (!models) GTEST_SKIP() << "../shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 28);
}

}  // namespace
}  // namespace quantlens::onnxruntime
