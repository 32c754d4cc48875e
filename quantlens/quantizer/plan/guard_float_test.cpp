// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/guard_float.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

/// With these ops in float, by name; all values are calibrated.
Plan float_plan(const Model& model, const std::vector<std::string>& in_float) {
  Recipe recipe;
  for (const std::string& name : in_float)
    recipe.op_name_dict[name].activation.dtype = AskedDtype::fp32;
  const Planned planned(model, recipe);
  Ranges ranges;
  for (const std::string& value : planned.draft.values_to_calibrate()) {
    ranges.values.push_back(
        {.value = value, .min = -1, .max = 1, .algorithm = RangeAlgorithm::minmax});
  }
  return make_plan(planned.draft, ranges, {}).plan;
}

/// The int32 that an input is dequantized from; nothing where it reads floats.
std::optional<WeightPlan> guard_at(const Plan& plan, const ValueUse& use) {
  for (const WeightPlan& weight : plan.weights_quantized) {
    const bool is_it = weight.scheme.dtype == DType::int32 &&
                       std::ranges::find(weight.uses, use) != weight.uses.end();
    if (is_it) return weight;
  }
  return std::nullopt;
}

/// x -> Conv c1 -> Conv c2 with a bias, and what a test puts behind it.
SmallGraph two_convs() {
  SmallGraph net;
  net.input("x")
      .weight("w", {2, 2, 1, 1}, {1, 0.01F, -1, 0.5F})
      .weight("b", {2}, {0.5F, -3})
      .weight("each", {1, 2, 1, 2}, {1, 2, 3, 4})
      .weight("v", {2}, {0.25F, 1});
  net.node(Kind::conv, {"x", "w"}, "c1").node(Kind::conv, {"c1", "w", "b"}, "c2");
  return net;
}

TEST(GuardFloat, KeepsABiasToTwoToTheMinusThirtyOfItsLargestValue) {
  SmallGraph net = two_convs();
  net.node(Kind::conv, {"c2", "w"}, "y").output("y");
  const std::optional<WeightPlan> guard = guard_at(float_plan(net.model(), {"node_c2"}), {"c2", 2});
  ASSERT_TRUE(guard);
  EXPECT_EQ(guard->weight, "b");
  EXPECT_EQ(guard->params[0].scale, std::ldexp(3.0F, -30));
}

TEST(GuardFloat, SeesCodesBehindWhatTheRuntimeFoldsIntoTheOp) {
  SmallGraph net = two_convs();  // the Mul by a figure for each element is not folded by us
  net.node(Kind::mul, {"c2", "each"}, "m").node(Kind::relu, {"m"}, "r");
  net.node(Kind::conv, {"r", "w"}, "y").output("y");
  EXPECT_TRUE(guard_at(float_plan(net.model(), {"node_c2", "node_m", "node_r"}), {"c2", 2}));
}

TEST(GuardFloat, SeesCodesBehindOpsThatMoveElementsAndBeforeThem) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2, 1, 1}, {1, 0.01F, -1, 0.5F});
  net.node(Kind::conv, {"x", "w"}, "c1").node(Kind::transpose, {"c1"}, "t1");
  net.node(Kind::conv, {"t1", "w"}, "c2").node(Kind::transpose, {"c2"}, "t2");
  net.node(Kind::conv, {"t2", "w"}, "y").output("y");
  const Plan plan = float_plan(net.model(), {"node_c2", "node_t1", "node_t2"});
  const std::optional<WeightPlan> guard = guard_at(plan, {"c2", 2});
  ASSERT_TRUE(guard) << "it gets a bias of zeros";
  EXPECT_EQ(plan.weights.at(guard->weight).size(), 2);
}

TEST(GuardFloat, LeavesAnOpAloneWhoseResultStaysFloat) {
  SmallGraph net = two_convs();
  net.node(Kind::softmax, {"c2"}, "y").output("y");
  EXPECT_FALSE(guard_at(float_plan(net.model(), {"node_c2"}), {"c2", 2}));
}

TEST(GuardFloat, LeavesAnOpAloneWhoseDataStayFloat) {
  SmallGraph net = two_convs();
  net.node(Kind::conv, {"c2", "w"}, "y").output("y");
  EXPECT_FALSE(guard_at(float_plan(net.model(), {"node_c1", "node_c2"}), {"c2", 2}));
}

TEST(GuardFloat, GuardsAMatMulByWhatIsAddedToIt) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 0.01F, -1, 0.5F}).weight("v", {2}, {0.25F, 1});
  net.node(Kind::conv, {"x", "w"}, "c1");
  net.node(Kind::matmul, {"x", "w"}, "m1").node(Kind::relu, {"m1"}, "r1");
  net.node(Kind::matmul, {"r1", "w"}, "m2").node(Kind::add, {"v", "m2"}, "a2");
  net.node(Kind::matmul, {"a2", "w"}, "y").output("y").output("c1");
  const Plan plan = float_plan(net.model(), {"node_m2"});
  const std::optional<WeightPlan> guard = guard_at(plan, {"a2", 0});
  ASSERT_TRUE(guard);
  EXPECT_EQ(guard->scheme.bits, 32);
}

TEST(GuardFloat, GuardsNamedOpsWhereverTheyStandAndOnlyOnce) {
  SmallGraph net = two_convs();
  net.node(Kind::softmax, {"c2"}, "y").output("y");
  const Model model = net.model();
  Plan plan = float_plan(model, {"node_c2"});
  const GraphIndex index(model.graph);
  EXPECT_EQ(guard_ops(index, {"c2", "y"}, plan), std::set<std::string>{"c2"});
  EXPECT_TRUE(guard_at(plan, {"c2", 2}));
  EXPECT_TRUE(guard_ops(index, {"c2"}, plan).empty());
}

}  // namespace
}  // namespace quantlens
