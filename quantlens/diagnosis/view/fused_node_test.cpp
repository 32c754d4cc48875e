// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/fused_node.h"

#include <gtest/gtest.h>

#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens {
namespace {

using onnxruntime::info;
using onnxruntime::model_of;
using onnxruntime::op;

Graph graph_of(std::vector<Node> nodes) {
  Graph graph;
  graph.inputs = {info("x", DType::uint8, {1, 2, 4, 4})};
  graph.outputs = {info("y", DType::uint8, {1, 2, 4, 4})};
  graph.weights.emplace("w", Tensor::from<float>({2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.weights.emplace("wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.weights.emplace("c", Tensor::from<float>({1, 2, 1, 1}, {1, 2}));
  graph.weights.emplace("s", Tensor::scalar(0.1F));
  graph.weights.emplace("z", Tensor::from<std::uint8_t>({}, {0}));
  graph.weights.emplace("wz", Tensor::from<std::int8_t>({}, {0}));
  graph.nodes = std::move(nodes);
  return model_of(graph).graph;
}

/// Codes -> Conv (float weight) -> Mul -> codes.
Graph float_conv_and_mul() {
  return graph_of({op("DequantizeLinear", {"x", "s", "z"}, "d"), op("Conv", {"d", "w"}, "v"),
                   op("Mul", {"v", "c"}, "m"), op("QuantizeLinear", {"m", "s", "z"}, "y")});
}

Graph integer_conv() {
  return graph_of({op("QLinearConv", {"x", "s", "z", "wq", "s", "wz", "s", "z"}, "y")});
}

TEST(FusedNode, IsTheOneBehindTheValueThatIsAnotherWhereItIsLookedAt) {
  const auto found = fused_node(float_conv_and_mul(), integer_conv(), float_conv_and_mul(), "v");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, "QLinearConv 'y_node'");
}

TEST(FusedNode, IsNoTransposeThatTheRuntimePutBehindIt) {
  const Graph bare =
      graph_of({op("QLinearConv", {"x", "s", "z", "wq", "s", "wz", "s", "z"}, "t"),
                op("Transpose", {"t"}, "y", {{"perm", std::vector<std::int64_t>{0, 3, 1, 2}}})});
  EXPECT_EQ(fused_node(float_conv_and_mul(), bare, float_conv_and_mul(), "v")->node,
            "QLinearConv 't_node'");
}

TEST(FusedNode, IsTheOnlyProductOfCodesThatTheBareGraphAloneHas) {
  Graph bare = integer_conv();
  bare.nodes[0].outputs = {"renamed"};
  const auto found = fused_node(float_conv_and_mul(), bare, float_conv_and_mul(), "v");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, "QLinearConv 'y_node'");
  EXPECT_TRUE(found->makes_weight);
  bare.nodes.push_back(bare.nodes[0]);
  bare.nodes.back().name = "second";
  EXPECT_FALSE(fused_node(float_conv_and_mul(), bare, float_conv_and_mul(), "v"));
}

TEST(FusedNode, IsNamedWithoutTheRuntimesNumbers) {
  const Graph file = float_conv_and_mul();
  Graph bare = integer_conv();
  bare.nodes[0].outputs = {"renamed"};
  bare.nodes[0].name = "first_token_3";
  Graph observed = file;
  observed.nodes.push_back(bare.nodes[0]);
  observed.nodes.back().name = "first_token_12";
  EXPECT_FALSE(fused_node(file, bare, observed, "v"));  // it is the same one
  EXPECT_EQ(fused_node(file, bare, file, "v")->node, "QLinearConv 'first'");
}

TEST(FusedNode, MakesCodesOfAFloatWeight) {
  EXPECT_TRUE(
      fused_node(float_conv_and_mul(), integer_conv(), float_conv_and_mul(), "m")->makes_weight);
}

TEST(FusedNode, MultipliesTheCodesThatTheFileHas) {
  const Graph file =
      graph_of({op("DequantizeLinear", {"x", "s", "z"}, "d"),
                op("DequantizeLinear", {"wq", "s", "wz"}, "w8"), op("Conv", {"d", "w8"}, "v"),
                op("QuantizeLinear", {"v", "s", "z"}, "y")});
  const auto found = fused_node(file, integer_conv(), file, "v");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->makes_weight);
}

TEST(FusedNode, IsNoneWhereBothGraphsAreAlike) {
  EXPECT_FALSE(fused_node(float_conv_and_mul(), float_conv_and_mul(), float_conv_and_mul(), "v"));
}

TEST(FusedNode, IsNoneBehindANodeThatBothHave) {
  const Graph file = float_conv_and_mul();
  Graph observed = file;
  observed.nodes[2].type = "Other";  // gives m
  EXPECT_FALSE(fused_node(file, file, observed, "d"));
}

}  // namespace
}  // namespace quantlens
