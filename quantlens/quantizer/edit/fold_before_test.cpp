// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_before.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

/// x -> Conv of two channels -> Relu "r" -> what the test adds.
SmallGraph two_channels() {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 1}).weight("k", {2, 1, 1}, {3, 5});
  net.weight("s", {1, 2, 1, 1}, {10, 20}).weight("v", {2, 2, 1, 1}, {1, 2, 3, 4});
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::relu, {"c"}, "r");
  return net;
}

std::vector<float> numbers(const Plan& plan, const std::string& name) {
  const auto values = plan.weights.at(name).data<float>();
  return {values.begin(), values.end()};
}

TEST(FoldBefore, ScalesInputChannelsAndAddsWhatIsShifted) {
  SmallGraph net = two_channels();
  net.node(Kind::mul, {"r", "k"}, "m").node(Kind::add, {"s", "m"}, "a");
  net.node(Kind::conv, {"a", "v"}, "y").output("y");
  const Plan plan = fold_before(GraphIndex(net.graph()), capabilities_of("onnx"));
  EXPECT_EQ(plan.removed, (std::vector<std::string>{"a", "m"}));
  ASSERT_EQ(plan.value_edits.size(), 1U);
  EXPECT_EQ(plan.value_edits[0], (ValueEdit{.use = {"y", 0}, .value = "r"}));
  EXPECT_EQ(numbers(plan, "v/with/y"), (std::vector<float>{3, 10, 9, 20}));
  EXPECT_EQ(numbers(plan, "y/bias/with/y"), (std::vector<float>{50, 110}));  // v times (10, 20)
}

TEST(FoldBefore, KnowsTheChannelsOfEachGroup) {
  SmallGraph net = two_channels();
  net.weight("d", {2, 1, 1, 1}, {7, 11});
  net.node(Kind::mul, {"r", "k"}, "m").node(Kind::conv, {"m", "d"}, "y");
  net.set(&roles::Convolution::groups, 2).output("y");
  EXPECT_EQ(numbers(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")), "d/with/y"),
            (std::vector<float>{21, 55}));
}

TEST(FoldBefore, LeavesWhatIsAddedInFrontOfPadding) {
  SmallGraph net = two_channels();
  net.node(Kind::add, {"r", "s"}, "a").node(Kind::conv, {"a", "v"}, "y");
  net.set(&roles::Convolution::window, {.pads = {1, 1, 1, 1}}).output("y");
  EXPECT_TRUE(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.empty());
}

TEST(FoldBefore, SeesTheChannelsOfAValueThroughArithmeticAndActivations) {
  SmallGraph net = two_channels();
  net.weight("one", {}, {1}).node(Kind::add, {"r", "one"}, "b").node(Kind::relu, {"b"}, "t");
  net.node(Kind::mul, {"t", "k"}, "m").node(Kind::conv, {"m", "v"}, "y").output("y");
  EXPECT_EQ(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed,
            std::vector<std::string>{"m"});
}

TEST(FoldBefore, LeavesWhatWidensAValue) {
  SmallGraph net;  // one channel becomes two
  net.input("x").weight("w", {1, 1, 1, 1}, {1}).weight("k", {2, 1, 1}, {3, 5});
  net.weight("v", {2, 2, 1, 1}, {1, 2, 3, 4}).node(Kind::conv, {"x", "w"}, "c");
  net.node(Kind::relu, {"c"}, "r").node(Kind::mul, {"r", "k"}, "m");
  net.node(Kind::conv, {"m", "v"}, "y").output("y");
  EXPECT_TRUE(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.empty());
}

TEST(FoldBefore, LeavesWhatEvensOutAnInputOfTheModel) {
  SmallGraph net;
  net.input("x").weight("k", {2, 1, 1}, {3, 5}).weight("v", {2, 2, 1, 1}, {1, 2, 3, 4});
  net.node(Kind::mul, {"x", "k"}, "m").node(Kind::conv, {"m", "v"}, "y").output("y");
  EXPECT_TRUE(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.empty());
}

TEST(FoldBefore, LeavesWhatAlsoSomethingElseReads) {
  SmallGraph net = two_channels();
  net.node(Kind::mul, {"r", "k"}, "m").node(Kind::conv, {"m", "v"}, "y").output("y").output("m");
  EXPECT_TRUE(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.empty());
}

/// x, a matrix -> MatMul of two columns -> Relu "r" -> what the test adds.
SmallGraph two_columns() {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 0, 0, 1}).weight("k", {2}, {3, 5});
  net.weight("s", {2}, {10, 20}).weight("v", {2, 2}, {1, 2, 3, 4}).weight("b", {2}, {7, 9});
  net.node(Kind::matmul, {"x", "w"}, "c").node(Kind::relu, {"c"}, "r");
  return net;
}

Plan of_matrices(const SmallGraph& net, std::int64_t rows) {
  Graph graph = net.graph();
  graph.inputs[0].shape = {{rows, {}}, {2, {}}};
  return fold_before(GraphIndex(graph), capabilities_of("onnx"));
}

TEST(FoldBefore, KnowsWhatAGemmMultipliesItsWeightAndBiasBy) {
  SmallGraph net = two_columns();
  net.node(Kind::mul, {"r", "k"}, "m").node(Kind::add, {"m", "s"}, "a");
  net.node(Kind::gemm, {"a", "v", "b"}, "y");
  net.set(&roles::MatrixProduct::alpha, 0.5F).set(&roles::MatrixProduct::beta, 2.0F);
  net.output("y");
  const Plan plan = of_matrices(net, 3);
  EXPECT_EQ(numbers(plan, "v/with/y"), (std::vector<float>{3, 6, 15, 20}));
  EXPECT_EQ(numbers(plan, "b/with/y"), (std::vector<float>{24.5, 34}));  // + (70, 100) / 4
}

TEST(FoldBefore, ScalesRowsThatAGemmOrAWeightOnTheLeftReads) {
  for (const bool is_gemm : {true, false}) {
    SmallGraph net = two_columns();
    net.weight("rows", {2, 1}, {3, 5}).node(Kind::mul, {"r", "rows"}, "m");
    if (is_gemm) {
      net.node(Kind::gemm, {"m", "v"}, "y")
          .set(&roles::MatrixProduct::transposes_a, true)
          .output("y");
    } else {
      net.node(Kind::matmul, {"v", "m"}, "y").output("y");
    }
    EXPECT_EQ(numbers(of_matrices(net, 2), "v/with/y"),
              is_gemm ? (std::vector<float>{3, 6, 15, 20}) : (std::vector<float>{3, 10, 9, 20}));
    EXPECT_TRUE(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.empty())
        << "one row would be widened";
  }
}

TEST(FoldBefore, AddsToTheBiasBehindAMatMul) {
  SmallGraph net = two_columns();
  net.node(Kind::add, {"r", "s"}, "a").node(Kind::matmul, {"a", "v"}, "m");
  net.node(Kind::add, {"b", "m"}, "y").output("y");
  const Plan plan = of_matrices(net, 3);
  EXPECT_EQ(plan.removed, std::vector<std::string>{"a"});
  EXPECT_EQ(numbers(plan, "b/with/y"), (std::vector<float>{77, 109}));
  SmallGraph open = two_columns();
  open.node(Kind::add, {"r", "s"}, "a").node(Kind::matmul, {"a", "v"}, "y").output("y");
  EXPECT_TRUE(of_matrices(open, 3).removed.empty()) << "there is no bias";
}

TEST(FoldBefore, GoesThroughAPadThatKeepsIt) {
  for (const bool is_constant : {true, false}) {
    for (const bool shifts : {false, true}) {
      SmallGraph net = two_channels();
      net.constant("pads", Tensor::from<std::int64_t>({8}, {0, 0, 1, 1, 0, 0, 1, 1}));
      net.node(shifts ? Kind::add : Kind::mul, {"r", shifts ? "s" : "k"}, "m");
      net.node(Kind::pad, {"m", "pads"}, "p").set(&roles::Padding::is_constant, is_constant);
      net.node(Kind::conv, {"p", "v"}, "y").output("y");
      EXPECT_EQ(fold_before(GraphIndex(net.graph()), capabilities_of("onnx")).removed.size(),
                !is_constant || !shifts ? 1U : 0U);
    }
  }
}

}  // namespace
}  // namespace quantlens
