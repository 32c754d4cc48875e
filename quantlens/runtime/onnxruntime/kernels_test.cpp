// SPDX-License-Identifier: Apache-2.0
// That the runtime runs its int8 kernels on tapped models too, and gives the same outputs. Each
// test reads the graph that the very session under test really ran.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/testing_nets.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::onnxruntime {
namespace {

/// How often each int8 op stands in the graph that ran.
std::map<std::string, int> int8_ops(const fs::path& dump) {
  std::map<std::string, int> counts;
  const Model model = onnx::read(dump, MappedFile::open(dump));
  for (const Node& node : model.graph.nodes) {
    if (node.type.starts_with("QLinear") || node.type.starts_with("QGemm") ||
        node.type.find("Integer") != std::string::npos) {
      ++counts[node.type];
    }
  }
  return counts;
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
    expect_undisturbed(reference, quantized,
                       {.taps = {}, .pairs = pairs_by_name(reference, quantized)}, least_pairs);
  }

  void expect_undisturbed(const Model& reference, const Model& quantized, const TapSpec& spec,
                          std::size_t least_pairs) {
    const Folder folder;
    ASSERT_GE(spec.pairs.size(), least_pairs);
    const Batch batch = batch_for(reference, 2);
    const Outputs bare =
        onnxruntime::open(reference, &quantized, {}, {.optimized_dump = folder.path / "bare"})
            ->step(batch);
    const auto run =
        onnxruntime::open(reference, &quantized, spec, {.optimized_dump = folder.path / "tapped"});
    const Outputs tapped = run->step(batch);

    ASSERT_FALSE(fs::exists(folder.path / "tapped.quantized")) << "the two did not run as one";
    ops_ = int8_ops(folder.path / "tapped");
    EXPECT_FALSE(ops_.empty());
    EXPECT_EQ(ops_, int8_ops(folder.path / "bare.quantized"));
    expect_equal(bare.quantized, tapped.quantized);
    const TapState state = run->take();
    EXPECT_EQ(state.pairs.size(), spec.pairs.size());
    const auto more = onnxruntime::open(reference, &quantized, spec, {.threads = 4});
    more->step(batch);
    EXPECT_EQ(to_bytes(more->take()), to_bytes(state)) << "with 4 threads";
    if (HasFailure()) return;
    outputs_ = {bare, tapped};
  }

  std::map<std::string, int> ops_;  // of int8
  std::vector<Outputs> outputs_;    // bare, tapped
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

TEST_F(OnnxKernels, OfEveryKindSurvive) {
  const Model reference = model_of(branching_net()),
              quantized = model_of(branching_net_quantized());
  expect_undisturbed(reference, quantized, 11);
  for (const char* type : {"QLinearConv", "QLinearAdd", "QLinearMul", "QLinearSigmoid",
                           "QLinearLeakyRelu", "QLinearConcat", "QLinearAveragePool",
                           "QLinearGlobalAveragePool", "QGemm", "MatMulIntegerToFloat"}) {
    EXPECT_TRUE(ops_.contains(type)) << type << " is not tested here any more";
  }
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

TEST_F(OnnxKernels, OfEveryKindWithSignedCodesSurvive) {
  const Model reference = model_of(branching_net());
  expect_undisturbed(reference, model_of(with_signed_codes(branching_net_quantized())), 11);
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
      testdata_models("mobilenet_v1_0.25_224.onnx", "mobilenet_v1_0.25_ort_qdq_per_tensor.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 28);
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

TEST_F(OnnxKernels, OfSqueezeNetSurvive) {
  const auto models = testdata_models("squeezenet1.1.onnx", "squeezenet1.1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 26);
  expect_equal(outputs_.at(0).reference, outputs_.at(1).reference);
}

/// Pairs on the outputs of integer ops, which the quantizer of that file named X_quantized.
std::vector<PairTap> pairs_of_integer_ops(const Model& reference, const Model& quantized) {
  constexpr std::string_view kEnd = "_quantized";
  const GraphIndex floats(reference.graph), index(quantized.graph);
  std::vector<PairTap> pairs;
  for (const Node& node : quantized.graph.nodes) {
    const std::string& codes = node.outputs[0];
    if (node.type != "QLinearConv" || !codes.ends_with(kEnd)) continue;
    const std::string value = codes.substr(0, codes.size() - kEnd.size());
    if (!floats.producer(value)) continue;
    const float scale = to_float32(*index.constant(node.inputs[6])).data<float>()[0];
    const Tensor* zero_point = index.constant(node.inputs[7]);
    pairs.push_back({.reference = value, .quantized = codes, .scheme = {}, .params = {}});
    pairs.back().params = {scale, static_cast<std::int32_t>(to_int64(*zero_point)[0])};
  }
  return pairs;
}

TEST_F(OnnxKernels, OfAFileOfIntegerOpsSurvive) {
  const auto models = testdata_models("squeezenet1.1.onnx", "squeezenet1.1_inc_qoperator.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  const auto pairs = pairs_of_integer_ops(models->first, models->second);
  expect_undisturbed(models->first, models->second, {.taps = {}, .pairs = pairs}, 20);
}

TEST_F(OnnxKernels, OfATransformerSurvive) {
  const auto models = testdata_models("kwt1.onnx", "kwt1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 102);
  // Values inside its float layer norms are tapped, too: those are then no longer fused, so float
  // outputs differ in their last bits.
}

TEST_F(OnnxKernels, OfATransformerWithSignedCodesSurvive) {
  const auto models = testdata_models("kwt1.onnx", "kwt1_nncf_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 102);
}

TEST_F(OnnxKernels, OfALargerMobileNetSurvive) {
  const auto models =
      testdata_models("mobilenet_v1_0.75_224.onnx", "mobilenet_v1_0.75_quark_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_undisturbed(models->first, models->second, 28);
}

}  // namespace
}  // namespace quantlens::onnxruntime
