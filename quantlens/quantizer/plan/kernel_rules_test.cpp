// What plans are like for a runtime whose codes have no zero point, and whose bias is float.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// A product, its bias, and an activation.
SmallGraph product(Kind activation) {
  SmallGraph net;
  net.input("x")
      .weight("w", {2, 3}, {1, 2, 3, -4, 5, 6})
      .weight("w2", {3, 1}, {1, 1, 1})
      .weight("b", {3}, {1, 2, 3})
      .node(Kind::matmul, {"x", "w"}, "m")
      .node(Kind::add, {"m", "b"}, "s")
      .node(activation, {"s"}, "r")
      .node(Kind::matmul, {"r", "w2"}, "y")
      .output("y");
  return net;
}

Model in_tensorflow(const SmallGraph& net) {
  Model model = net.model();
  model.format = "graphdef";
  for (Node& node : model.graph.nodes) {
    if (node.kind == Kind::matmul) node.type = "MatMul";
  }
  return model;
}

/// With these ranges of what is read and of the activation.
Plan planned_with(const Model& model, Range x, Range r, const Recipe& recipe = {}) {
  Ranges ranges;
  ranges.values = {{.value = "r", .min = r.min, .max = r.max},
                   {.value = "x", .min = x.min, .max = x.max}};
  return make_plan(Planned(model, recipe).draft, ranges, {}).plan;
}

const ActivationPlan& codes_of(const Plan& plan, const std::string& value) {
  return *std::ranges::find(plan.activations, value, &ActivationPlan::value);
}

const OpPlan& planned_op(const Plan& plan, const std::string& id) {
  return *std::ranges::find_if(plan.ops, [&](const OpPlan& one) { return one.op.id == id; });
}

TEST(CodesWithoutZeroPoint, BeginAtZeroWhereNothingIsNegativeAndElseLieAroundIt) {
  const Plan plan = planned_with(in_tensorflow(product(Kind::relu)), {-1, 2.54F}, {0.5F, 5.1F});
  EXPECT_EQ(codes_of(plan, "x").scheme.dtype, DType::int8);
  EXPECT_EQ(codes_of(plan, "x").params, (QParams{.scale = 0.02F, .zero_point = 0}));
  EXPECT_EQ(codes_of(plan, "r").scheme.dtype, DType::uint8);
  EXPECT_EQ(codes_of(plan, "r").params, (QParams{.scale = 0.02F, .zero_point = 0}));
}

TEST(CodesWithoutZeroPoint, AreUnsignedBehindAReluWhateverRangeIsGiven) {
  const Plan plan = planned_with(in_tensorflow(product(Kind::relu)), {-1, 1}, {-9, 5.1F});
  EXPECT_EQ(codes_of(plan, "r").scheme.dtype, DType::uint8);
  EXPECT_EQ(codes_of(plan, "r").params, (QParams{.scale = 0.02F, .zero_point = 0}));
}

TEST(CodesWithoutZeroPoint, AreThoseTheKernelsTakeWhateverARecipeAsks) {
  Recipe recipe;
  recipe.activation.dtype = AskedDtype::int8;
  recipe.weight.dtype = AskedDtype::uint8;
  recipe.weight.scheme = Symmetry::asym;
  const Plan plan = planned_with(in_tensorflow(product(Kind::relu)), {-1, 1}, {0, 1}, recipe);
  EXPECT_EQ(codes_of(plan, "r").scheme.dtype, DType::uint8);
  ASSERT_EQ(plan.weights_quantized.size(), 2U);
  EXPECT_EQ(plan.weights_quantized[0].scheme.dtype, DType::int8);
  EXPECT_TRUE(plan.weights_quantized[0].scheme.symmetric);
}

TEST(CodesWithoutZeroPoint, LetNoClipEndThatDoesNotBeginAtZero) {
  SmallGraph net = product(Kind::clip);
  Model from_zero = in_tensorflow(net), below = from_zero;
  from_zero.graph.nodes[2].roles = roles::Bounds{.low = 0, .high = 6};
  below.graph.nodes[2].roles = roles::Bounds{.low = -1, .high = 1};
  EXPECT_EQ(planned_op(planned_with(from_zero, {0, 1}, {0, 6}), "m").members.size(), 3U);
  EXPECT_EQ(planned_op(planned_with(below, {0, 1}, {-1, 1}), "m").members.size(), 2U);
}

TEST(KernelRules, KeepABiasInFloatWhereKernelsTakeItSo) {
  const Plan plan = planned_with(in_tensorflow(product(Kind::relu)), {-1, 1}, {0, 1});
  std::vector<std::string> weights;
  for (const WeightPlan& weight : plan.weights_quantized) weights.push_back(weight.weight);
  EXPECT_THAT(weights, ElementsAre("w", "w2"));
}

TEST(KernelRules, LeaveTwoOperandsOfDataInFloatWhereNoKernelTakesThem) {
  SmallGraph net;
  net.input("x").input("r").node(Kind::matmul, {"x", "r"}, "y").output("y");
  EXPECT_EQ(planned_op(planned_with(in_tensorflow(net), {0, 1}, {0, 1}), "y").reason,
            "its weight is computed at run time");
}

TEST(KernelRules, LeaveOpsInFloatWhoseCodesShallHaveAnotherWidth) {
  Recipe recipe;
  recipe.activation.dtype = AskedDtype::uint16;
  const Plan plan = planned_with(in_tensorflow(product(Kind::relu)), {-1, 1}, {0, 1}, recipe);
  EXPECT_EQ(planned_op(plan, "m").reason, "its runtime knows codes of 8 bits alone");
}

TEST(KernelRules, LeaveInFloatWhatTheRuntimeHasNoOpsFor) {
  Model model = in_tensorflow(product(Kind::relu));
  model.vocabulary = {.dynamic_codes = false, .half = false, .version = "v", .whole = "v"};
  Recipe recipe;
  recipe.approach = Approach::dynamic;
  EXPECT_EQ(planned_op(planned_with(model, {0, 1}, {0, 1}, recipe), "m").reason,
            "its runtime knows no codes whose scale is found as it runs");
  recipe.approach = Approach::weight_only;
  EXPECT_EQ(planned_op(planned_with(model, {0, 1}, {0, 1}, recipe), "m").reason,
            "its runtime has no ops for weights in blocks");
  recipe = {};
  recipe.op_type_dict["MatMul"].activation.dtype = AskedDtype::fp16;
  EXPECT_EQ(planned_op(planned_with(model, {0, 1}, {0, 1}, recipe), "m").reason,
            "the recipe keeps it in float; not in half: single ops of its format have no half");
}

}  // namespace
}  // namespace quantlens
