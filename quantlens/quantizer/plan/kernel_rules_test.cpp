// What plans are like for a runtime whose codes have no zero point, and whose bias is float.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

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
    if (node.kind == Kind::concat) node.type = "ConcatV2";
    if (node.kind == Kind::identity) node.type = "Identity";
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

/// Of a plan in which everything else goes without a word.
std::vector<std::string> notes_with(const Recipe& recipe) {
  Ranges ranges;
  ranges.values = {{.value = "r", .min = 0, .max = 1}, {.value = "x", .min = -1, .max = 1}};
  return make_plan(Planned(in_tensorflow(product(Kind::relu)), recipe).draft, ranges, {}).notes;
}

TEST(KernelRules, WhatARecipeAsksOfCodesInVainIsTold) {
  EXPECT_THAT(notes_with({}), IsEmpty());
  Recipe recipe;
  recipe.activation.scheme = Symmetry::sym;
  recipe.weight.dtype = AskedDtype::uint8;
  recipe.op_type_dict["MatMul"].activation.dtype = AskedDtype::int8;
  EXPECT_THAT(notes_with(recipe),
              ElementsAre(StartsWith("activation.scheme, weight.dtype, op_type_dict: 'MatMul': "
                                     "activation.dtype: which 8-bit codes they ask for has no "
                                     "effect")));
}

TEST(KernelRules, TheFormOfAFileAndACpuThatKernelsAreNotForAreTold) {
  Recipe recipe;
  recipe.quant_format = QuantFormat::qoperator;
  EXPECT_THAT(notes_with(recipe), ElementsAre(StartsWith("quant_format qoperator has no effect")));
  recipe.quant_format = QuantFormat::default_;
  recipe.target = TargetCpu::arm;
  EXPECT_THAT(notes_with(recipe), ElementsAre(StartsWith("target arm: the model's runtime has")));
}

/// Two products with activations, put together, and a third that reads them.
SmallGraph joined(Kind activation) {
  SmallGraph net;
  net.input("x")
      .weight("w", {2, 3}, {1, 2, 3, -4, 5, 6})
      .weight("w2", {6, 1}, {1, 1, 1, 1, 1, 1})
      .node(Kind::matmul, {"x", "w"}, "a")
      .node(activation, {"a"}, "a2")
      .node(Kind::matmul, {"x", "w"}, "b")
      .node(Kind::relu, {"b"}, "b2")
      .node(Kind::concat, {"a2", "b2"}, "both")
      .node(Kind::matmul, {"both", "w2"}, "y")
      .output("y");
  return net;
}

Plan joined_plan(const Model& model, const std::map<std::string, Range>& known) {
  Ranges ranges;
  for (const auto& [value, range] : known)
    ranges.values.push_back({.value = value, .min = range.min, .max = range.max});
  return make_plan(Planned(model).draft, ranges, {}).plan;
}

TEST(JoinedCodes, HaveTheScaleOfTheWhole) {
  const Model model = in_tensorflow(joined(Kind::relu));
  const Plan plan =
      joined_plan(model, {{"x", {-1, 1}}, {"a2", {0, 2}}, {"b2", {0, 5.1F}}, {"both", {0, 5.1F}}});
  EXPECT_TRUE(planned_op(plan, "both").quantized);
  for (const char* value : {"a2", "b2", "both"}) {
    EXPECT_EQ(codes_of(plan, value).params, (QParams{.scale = 0.02F, .zero_point = 0})) << value;
    EXPECT_EQ(codes_of(plan, value).scheme.dtype, DType::uint8) << value;
  }
}

TEST(JoinedCodes, AreAllSignedWhereOnePartMayBeNegative) {
  const Model model = in_tensorflow(joined(Kind::identity));
  const Plan plan = joined_plan(model, {{"x", {-1, 1}},
                                        {"a", {-2.54F, 1}},
                                        {"a2", {-2.54F, 1}},
                                        {"b2", {0, 2}},
                                        {"both", {-2.54F, 2}}});
  for (const char* value : {"a2", "b2", "both"}) {
    EXPECT_EQ(codes_of(plan, value).params, (QParams{.scale = 0.02F, .zero_point = 0})) << value;
    EXPECT_EQ(codes_of(plan, value).scheme.dtype, DType::int8) << value;
  }
}

TEST(JoinedCodes, StayFloatWhereAPartEndsBeforeTheOthers) {
  Model model = in_tensorflow(joined(Kind::clip));
  model.graph.nodes[1].roles = roles::Bounds{.low = 0, .high = 6};
  const Plan plan =
      joined_plan(model, {{"x", {-1, 1}}, {"a2", {0, 6}}, {"b2", {0, 7}}, {"both", {0, 7}}});
  EXPECT_EQ(planned_op(plan, "both").reason,
            "codes of one of its parts end at 6, and those of all its parts at 7");
  EXPECT_TRUE(planned_op(plan, "y").quantized);
  EXPECT_EQ(codes_of(plan, "both").params.scale, 7.0F / 255);
  const Plan low =
      joined_plan(model, {{"x", {-1, 1}}, {"a2", {0, 4}}, {"b2", {0, 5}}, {"both", {0, 5}}});
  EXPECT_TRUE(planned_op(low, "both").quantized);
}

}  // namespace
}  // namespace quantlens
