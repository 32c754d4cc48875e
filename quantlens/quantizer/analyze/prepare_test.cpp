// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/prepare.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/growth.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

std::set<std::string> kept(const Graph& graph, const std::string& reason) {
  std::set<std::string> outputs;
  for (const auto& [number, why] : prepare(graph).kept_float) {
    if (why == reason) outputs.insert(op_id(graph.nodes[number]));
  }
  return outputs;
}

TEST(FloatRegions, TakesALayerNormByDivisionWholeAndNothingBefore) {
  SmallGraph net;
  net.input("a").input("b").weight("two", {1}, {2}).weight("eps", {1}, {1e-5F});
  net.weight("gamma", {4}, {1, 1, 1, 1}).weight("beta", {4}, {0, 0, 0, 0});
  net.node(Kind::add, {"a", "b"}, "x").node(Kind::reduce_mean, {"x"}, "mean");
  net.node(Kind::sub, {"x", "mean"}, "centered").node(Kind::pow, {"centered", "two"}, "square");
  net.node(Kind::reduce_mean, {"square"}, "var").node(Kind::add, {"var", "eps"}, "shifted");
  net.node(Kind::sqrt, {"shifted"}, "root").node(Kind::div, {"centered", "root"}, "normal");
  net.node(Kind::mul, {"normal", "gamma"}, "scaled").node(Kind::add, {"scaled", "beta"}, "y");
  net.node(Kind::add, {"y", "x"}, "residual").output("residual");
  EXPECT_EQ(kept(net.graph(), "inside LayerNormalization"),
            (std::set<std::string>{"mean", "centered", "square", "var", "shifted", "root", "normal",
                                   "scaled", "y"}));
}

TEST(FloatRegions, TakesALayerNormWrittenWithAReciprocal) {
  SmallGraph net;
  net.input("x")
      .weight("eps", {1}, {1e-5F})
      .weight("gamma", {4}, {1, 1, 1, 1})
      .weight("beta", {4}, {0, 0, 0, 0});
  net.node(Kind::reduce_mean, {"x"}, "mean").node(Kind::sub, {"x", "mean"}, "centered");
  net.node(Kind::mul, {"centered", "centered"}, "square")
      .node(Kind::reduce_mean, {"square"}, "var");
  net.node(Kind::add, {"var", "eps"}, "shifted").node(Kind::sqrt, {"shifted"}, "root");
  net.node(Kind::reciprocal, {"root"}, "inverse").node(Kind::mul, {"inverse", "gamma"}, "factor");
  net.node(Kind::mul, {"x", "factor"}, "scaled").node(Kind::mul, {"mean", "factor"}, "offset");
  net.node(Kind::sub, {"beta", "offset"}, "shift").node(Kind::add, {"scaled", "shift"}, "y");
  net.node(Kind::reshape, {"y", "shape"}, "z").output("z");
  EXPECT_EQ(kept(net.graph(), "inside LayerNormalization").size(), 12U);
  EXPECT_FALSE(kept(net.graph(), "inside LayerNormalization").contains("z"));
}

TEST(FloatRegions, TakesGeluByTanhButNotTheBiasBefore) {
  SmallGraph net;
  net.input("in").weight("bias", {1}, {1}).weight("c", {1}, {0.5F}).weight("three", {1}, {3});
  net.node(Kind::add, {"in", "bias"}, "x").node(Kind::pow, {"x", "three"}, "cube");
  net.node(Kind::mul, {"cube", "c"}, "small").node(Kind::add, {"x", "small"}, "sum");
  net.node(Kind::mul, {"sum", "c"}, "inner").node(Kind::tanh, {"inner"}, "bent");
  net.node(Kind::add, {"bent", "c"}, "up").node(Kind::mul, {"x", "c"}, "half");
  net.node(Kind::mul, {"half", "up"}, "y").node(Kind::matmul, {"y", "w"}, "out").output("out");
  EXPECT_EQ(kept(net.graph(), "inside GELU"),
            (std::set<std::string>{"cube", "small", "sum", "inner", "bent", "up", "half", "y"}));
}

TEST(FloatRegions, TakesGeluByErf) {
  SmallGraph net;
  net.input("x").weight("c", {1}, {0.5F});
  net.node(Kind::div, {"x", "c"}, "inner")
      .node(Kind::erf, {"inner"}, "bent")
      .node(Kind::add, {"bent", "c"}, "up");
  net.node(Kind::mul, {"x", "up"}, "y")
      .node(Kind::mul, {"y", "c"}, "z")
      .node(Kind::matmul, {"z", "w"}, "out");
  net.output("out");
  EXPECT_EQ(kept(net.graph(), "inside GELU"),
            (std::set<std::string>{"inner", "bent", "up", "y", "z"}));
}

TEST(FloatRegions, LeavesALoneTanhAndASquareRootAlone) {
  SmallGraph net;
  net.input("x")
      .node(Kind::tanh, {"x"}, "t")
      .node(Kind::sqrt, {"t"}, "s")
      .node(Kind::mul, {"s", "t"}, "y")
      .output("y");
  EXPECT_TRUE(prepare(net.graph()).kept_float.empty());
}

/// `size` ops that all read one value.
SmallGraph star(std::size_t size) {
  SmallGraph net;
  net.input("x");
  for (std::size_t i = 0; i < size; ++i) {
    const std::string made = "t" + std::to_string(i);
    net.node(Kind::tanh, {"x"}, made).output(made);
  }
  return net;
}

/// `size` ops in a row; of each value something else is computed as well.
SmallGraph chain(std::size_t size) {
  SmallGraph net;
  net.input("t0");
  for (std::size_t i = 0; i < size; ++i) {
    const std::string number = std::to_string(i), made = "t" + std::to_string(i + 1);
    net.node(Kind::tanh, {"t" + number}, made).node(Kind::neg, {"t" + number}, "u" + number);
    net.output("u" + number);
  }
  return net;
}

TEST(FloatRegions, AreFoundInTimeInProportionToTheGraph) {
  for (const auto& graph : {star, chain}) {
    EXPECT_TRUE(prepare(graph(1000).graph()).kept_float.empty());
    EXPECT_LT(growth_exponent(500, graph, [](const SmallGraph& net) { prepare(net.graph()); }),
              kMostGrowth);
  }
}

TEST(FloatRegions, AreFoundBesideManyOtherReadersOfTheirSource) {
  SmallGraph net;
  net.input("x").weight("c", {1}, {0.5F});
  for (int i = 0; i < 100; ++i) net.node(Kind::matmul, {"x", "w"}, "m" + std::to_string(i));
  net.node(Kind::div, {"x", "c"}, "inner").node(Kind::erf, {"inner"}, "bent");
  net.node(Kind::add, {"bent", "c"}, "up").node(Kind::mul, {"x", "up"}, "y").output("y");
  EXPECT_EQ(kept(net.graph(), "inside GELU"), (std::set<std::string>{"inner", "bent", "up", "y"}));
}

SmallGraph conv_with_batch_norm() {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {2, 3}).weight("b", {2}, {1, 1});
  net.weight("scale", {2}, {4, 5}).weight("shift", {2}, {6, 7}).weight("mean", {2}, {0.5F, 0.25F});
  net.weight("var", {2}, {1, 4});
  net.node(Kind::conv, {"x", "w", "b"}, "c")
      .node(Kind::batch_norm, {"c", "scale", "shift", "mean", "var"}, "n");
  net.set(&roles::Normalization::epsilon, 0.0F).node(Kind::relu, {"n"}, "r");
  return net;
}

TEST(Prepare, FoldsABatchNormIntoTheConvBeforeIt) {
  SmallGraph net = conv_with_batch_norm();
  net.output("r");
  const Prepared prepared = prepare(net.graph());
  ASSERT_EQ(prepared.folds.list(), (std::vector<Fold>{{.op = "n", .into = "c"}}));
  ASSERT_EQ(prepared.patterns.size(), 1U);
  EXPECT_EQ(prepared.patterns[0].members, (std::vector<std::size_t>{0, 1, 2}));
  const GraphIndex index(net.graph());
  const Tensor* weight = constant_input(prepared, index, net.graph().nodes[0], 1);
  const Tensor* bias = constant_input(prepared, index, net.graph().nodes[0], 2);
  // factor = scale / sqrt(var): 4 and 2.5; bias = (1 - mean) * factor + shift
  EXPECT_FLOAT_EQ(weight->data<float>()[0], 8);
  EXPECT_FLOAT_EQ(weight->data<float>()[1], 7.5F);
  EXPECT_FLOAT_EQ(bias->data<float>()[0], 8);
  EXPECT_FLOAT_EQ(bias->data<float>()[1], 8.875F);
}

TEST(Prepare, KeepsABatchNormWhoseConvSomethingElseReads) {
  SmallGraph net = conv_with_batch_norm();
  net.output("r").output("c");
  const Prepared prepared = prepare(net.graph());
  EXPECT_TRUE(prepared.folds.empty());
  EXPECT_EQ(prepared.patterns.size(), 3U);
}

TEST(Prepare, AsksForCodesBetweenAGemmAndTheActivationThatIsFusedIntoIt) {
  const auto asks = [](Kind op, Kind between, Kind activation) {
    SmallGraph net;
    net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).node(op, {"x", "w"}, "m");
    net.node(between, {"m"}, "b").node(activation, {"b"}, "y").output("y");
    return prepare(net.graph()).ends_in_codes.contains(0);
  };
  EXPECT_TRUE(asks(Kind::gemm, Kind::identity, Kind::relu));
  EXPECT_TRUE(asks(Kind::gemm, Kind::dropout, Kind::tanh));
  EXPECT_TRUE(asks(Kind::gemm, Kind::sigmoid, Kind::relu));
  EXPECT_TRUE(asks(Kind::matmul, Kind::identity, Kind::relu));
  EXPECT_FALSE(asks(Kind::matmul, Kind::identity, Kind::sigmoid)) << "it is no Gemm";
  EXPECT_FALSE(asks(Kind::gemm, Kind::transpose, Kind::sigmoid));
  EXPECT_FALSE(asks(Kind::gemm, Kind::identity, Kind::softmax));
}

}  // namespace
}  // namespace quantlens
