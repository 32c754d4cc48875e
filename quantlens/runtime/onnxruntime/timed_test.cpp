// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/timed.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::onnxruntime {
namespace {

/// x [1,64] -> MatMul with a matrix of 64 by 512 -> Relu -> Reshape to [512] -> y, and the same
/// product as z by a smaller matrix.
Model two_products() {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {1, 64})};
  graph.outputs = {info("y", DType::float32, {512}), info("z", DType::float32, {1, 2})};
  graph.weights.emplace("w", Tensor::from<float>({64, 512}, std::vector<float>(64 * 512, 0.5F)));
  graph.weights.emplace("v", Tensor::from<float>({64, 2}, std::vector<float>(128, 0.25F)));
  graph.weights.emplace("shape", Tensor::from<std::int64_t>({1}, {512}));
  graph.nodes = {op("MatMul", {"x", "w"}, "a"), op("Relu", {"a"}, "b"),
                 op("Reshape", {"b", "shape"}, "y"), op("MatMul", {"x", "v"}, "z")};
  return model_of(graph);
}

Batch ones() {
  Batch batch;
  batch.samples = {0};
  batch.inputs.emplace("x", Tensor::from<float>({1, 64}, std::vector<float>(64, 1.0F)));
  return batch;
}

class Timed : public testing::Test {
 protected:
  void SetUp() override {
    if (!status().available) GTEST_SKIP() << status().problem;
  }
};

TEST_F(Timed, ARunWithoutNodesTellsTheWholeTimeOnly) {
  const Model model = two_products();
  const auto run = quantlens::open_timed(model, {});
  const RunTime time = run->run(run->add(ones()));
  EXPECT_GT(time.whole, 0U);
  EXPECT_TRUE(time.nodes.empty());
  EXPECT_TRUE(run->graph().nodes.empty());
}

TEST_F(Timed, EveryNodeOfTheRuntimesGraphGetsItsPartOfTheWhole) {
  const Model model = two_products();
  const auto run = quantlens::open_timed(model, {.nodes = true});
  const std::size_t batch = run->add(ones());
  run->run(batch);
  const RunTime time = run->run(batch);
  ASSERT_EQ(time.nodes.size(), run->graph().nodes.size());
  ASSERT_GE(time.nodes.size(), 3U);
  for (const std::uint64_t node : time.nodes) EXPECT_GT(node, 0U);
  EXPECT_LE(std::accumulate(time.nodes.begin(), time.nodes.end(), std::uint64_t{0}), time.whole);
}

TEST_F(Timed, AnswersAlikeWithTimersAndWithout) {
  const Model model = two_products();
  const auto bare = quantlens::open_timed(model, {});
  const auto timed = quantlens::open_timed(model, {.nodes = true});
  const TensorMap answers = bare->outputs(bare->add(ones()));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers.at("z").data<float>()[0], 16.0F);  // 64 products of 1 and 0.25
  const TensorMap others = timed->outputs(timed->add(ones()));
  for (const auto& [name, tensor] : answers) {
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), others.at(name).bytes())) << name;
  }
}

TEST_F(Timed, TypesOfAllValuesAreKnownAfterTheFirstRun) {
  const Model model = two_products();
  const auto run = quantlens::open_timed(model, {.nodes = true});
  run->run(run->add(ones()));
  EXPECT_EQ(run->types().at("x").shape, (Shape{1, 64}));
  EXPECT_EQ(run->types().at("y").shape, (Shape{512}));
  EXPECT_EQ(run->types().at("z").dtype, DType::float32);
}

TEST_F(Timed, ABatchThatDoesNotFitIsRefusedByName) {
  const Model model = two_products();
  const auto run = quantlens::open_timed(model, {});
  Batch batch;
  batch.inputs.emplace("x", Tensor::from<float>({1, 3}, {1, 2, 3}));
  try {
    run->add(batch);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("'x'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quantlens::onnxruntime
