// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/guard_integer.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

/// x -> MatMul m by w -> Add y of v.
SmallGraph product_and_sum(float largest_bias) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("v", {2}, {0.5F, largest_bias});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::add, {"m", "v"}, "y").output("y");
  return net;
}

/// x in codes of step 0.5, w in codes with a scale a column.
Plan plan_of_product() {
  Plan plan;
  plan.activations.push_back(
      {.value = "x", .params = {.scale = 0.5F, .zero_point = 3}, .uses = {{"m", 0}}});
  plan.weights_quantized.push_back(
      {.weight = "w",
       .scheme = {.dtype = DType::int8, .symmetric = true, .axis = 1},
       .params = {{.scale = 0.25F, .zero_point = 0}, {.scale = 2, .zero_point = 0}},
       .uses = {{"m", 1}}});
  return plan;
}

TEST(GuardInteger, StoresABiasAtTheScalesOfTheProducts) {
  const SmallGraph net = product_and_sum(7);
  Plan plan = plan_of_product();
  EXPECT_EQ(guard_integer(GraphIndex(net.graph()), {"m"}, plan), std::set<std::string>{"m"});
  ASSERT_EQ(plan.weights_quantized.size(), 2U);
  const WeightPlan& bias = plan.weights_quantized[1];
  EXPECT_EQ(bias.weight, "v");
  EXPECT_EQ(bias.scheme.dtype, DType::int32);
  EXPECT_EQ(bias.scheme.axis, 0);
  EXPECT_EQ(bias.uses, (std::vector<ValueUse>{{"y", 1}}));
  ASSERT_EQ(bias.params.size(), 2U);
  EXPECT_EQ(bias.params[0].scale, 0.125F);
  EXPECT_EQ(bias.params[1].scale, 1);
  EXPECT_TRUE(guard_integer(GraphIndex(net.graph()), {"m"}, plan).empty()) << "once is enough";
}

TEST(GuardInteger, FindsTheBiasPastOpsThatAreFolded) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("f", {2}, {2, 3});
  net.weight("v", {2}, {0.5F, 7});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::mul, {"m", "f"}, "p");
  net.node(Kind::add, {"p", "v"}, "y").output("y");
  Plan plan = plan_of_product();
  EXPECT_TRUE(guard_integer(GraphIndex(net.graph()), {"m"}, plan).empty());
  plan.folds.push_back({.op = "p", .into = "m"});
  EXPECT_FALSE(guard_integer(GraphIndex(net.graph()), {"m"}, plan).empty());
}

TEST(GuardInteger, LeavesABiasThatDoesNotFit) {
  const SmallGraph net = product_and_sum(2e9F);  // at a scale of 1: half of int32 is 2^30
  Plan plan = plan_of_product();
  EXPECT_TRUE(guard_integer(GraphIndex(net.graph()), {"m"}, plan).empty());
  EXPECT_EQ(plan.weights_quantized.size(), 1U);
}

TEST(GuardInteger, LeavesOpsThatAreNotNamedAndThoseWithoutCodes) {
  const SmallGraph net = product_and_sum(7);
  Plan plan = plan_of_product();
  EXPECT_TRUE(guard_integer(GraphIndex(net.graph()), {"y"}, plan).empty());
  plan.activations.clear();
  EXPECT_TRUE(guard_integer(GraphIndex(net.graph()), {"m"}, plan).empty());
}

}  // namespace
}  // namespace quantlens
