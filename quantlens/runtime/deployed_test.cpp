// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/deployed.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens {
namespace {

using onnxruntime::info;
using onnxruntime::model_of;
using onnxruntime::op;

/// x [1,4] -> MatMul -> Add -> y, which the runtime makes one Gemm.
Model product_and_sum() {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {1, 4})};
  graph.outputs = {info("y", DType::float32, {1, 2})};
  graph.weights.emplace("w", Tensor::from<float>({4, 2}, std::vector<float>(8, 0.5F)));
  graph.weights.emplace("b", Tensor::from<float>({2}, {1, 2}));
  graph.nodes = {op("MatMul", {"x", "w"}, "a"), op("Add", {"a", "b"}, "y")};
  return model_of(graph);
}

class Deployed : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  }
};

TEST_F(Deployed, IsTheGraphAfterTheRuntimesFusions) {
  const Model model = deployed(product_and_sum(), {});
  ASSERT_EQ(model.graph.nodes.size(), 1U);
  EXPECT_EQ(model.graph.nodes[0].type, "Gemm");
  EXPECT_EQ(op_id(model.graph.nodes[0]), "y");
}

TEST_F(Deployed, IsTheSameOutOfAProcessOfItsOwn) {
  RunOptions options;
  options.isolation = Isolation{.program = QUANTLENS_TEST_WORKER, .stop_requested = {}};
  const Model model = deployed(product_and_sum(), options);
  ASSERT_EQ(model.graph.nodes.size(), 1U);
  EXPECT_EQ(model.graph.nodes[0].type, "Gemm");
}

TEST_F(Deployed, RunsAsAModelThatIsOpenedAnew) {
  const Model model = product_and_sum();
  Batch batch;
  batch.samples = {0};
  batch.inputs["x"] = Tensor::from<float>({1, 4}, {1, -2, 3, 0.1F});
  const DeployedRun made = deployed_run(model, {});
  const TensorMap expected = open(model, nullptr, {}, {})->step(batch).reference;
  EXPECT_EQ(made.graph.graph.nodes.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(made.run->step(batch).reference.at("y").bytes(),
                                 expected.at("y").bytes()));
}

TEST_F(Deployed, ThrowsWhatTheRuntimeRefuses) {
  Graph graph = product_and_sum().graph;
  graph.nodes[1].type = "NoSuchOp";
  const Model model = model_of(graph);
  try {
    deployed(model, {});
    FAIL() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
  }
}

}  // namespace
}  // namespace quantlens
