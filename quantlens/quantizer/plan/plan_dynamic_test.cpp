// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/plan_dynamic.h"

#include <limits>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

PlanResult plan_of(const Model& model, const Recipe& recipe = recipe_for(Approach::dynamic),
                   const Target& target = {}) {
  return make_plan(Planned(model, recipe).draft, {}, target);
}

const OpPlan& op_named(const Plan& plan, const std::string& id) {
  for (const OpPlan& candidate : plan.ops) {
    if (candidate.op.id == id) return candidate;
  }
  throw std::out_of_range(id);
}

Model matmul_of(Tensor weight) {
  SmallGraph net;
  net.input("x").constant("w", std::move(weight));
  net.node(Kind::matmul, {"x", "w"}, "y").output("y");
  return net.model();
}

TEST(PlanDynamic, AMatMulIsDynamicAndItsReaderStaysFloat) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {127, -2, 0, 1});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::relu, {"m"}, "y").output("y");
  const PlanResult result = plan_of(net.model());
  EXPECT_EQ(op_named(result.plan, "m").form, OpForm::dynamic);
  EXPECT_TRUE(op_named(result.plan, "m").quantized);
  EXPECT_EQ(op_named(result.plan, "y").form, OpForm::float_);
  EXPECT_EQ(op_named(result.plan, "y").reason, "dynamic quantization has no form for it");
  EXPECT_TRUE(result.plan.activations.empty());
  ASSERT_EQ(result.plan.weights_quantized.size(), 1U);
  const WeightPlan& weight = result.plan.weights_quantized[0];
  EXPECT_EQ(weight.scheme, (Scheme{.dtype = DType::int8, .symmetric = true, .axis = 1, .bits = 8}));
  ASSERT_EQ(weight.params.size(), 2U);
  EXPECT_EQ(weight.params[0].scale, 1);
  EXPECT_FLOAT_EQ(weight.params[1].scale, 2.0F / 127);
  EXPECT_EQ(weight.uses, (std::vector<ValueUse>{{"m", 1}}));
}

TEST(PlanDynamic, NothingIsCalibrated) {
  const Model model = matmul_of(Tensor::from<float>({1, 1}, {1}));
  EXPECT_TRUE(Planned(model, recipe_for(Approach::dynamic)).draft.values_to_calibrate().empty());
  EXPECT_FALSE(Planned(model, recipe_for(Approach::static_)).draft.values_to_calibrate().empty());
}

TEST(PlanDynamic, WeightsOfInt8HaveSevenBitsWithoutVnniAndANoteSaysSo) {
  const Model model = matmul_of(Tensor::from<float>({1, 1}, {63}));
  const PlanResult result = plan_of(model, recipe_for(Approach::dynamic), {.vnni = false});
  EXPECT_EQ(result.plan.weights_quantized.at(0).scheme.bits, 7);
  EXPECT_EQ(result.plan.weights_quantized.at(0).params.at(0).scale, 1);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("int8 weights have 7 bits"), std::string::npos);
}

TEST(PlanDynamic, WeightsOfUint8HaveSevenBitsWhereTheRecipeAsksForIt) {
  const Model model = matmul_of(Tensor::from<float>({1, 1}, {63}));
  Recipe recipe = recipe_for(Approach::dynamic);
  recipe.weight.dtype = AskedDtype::uint8;
  const PlanResult whole = plan_of(model, recipe, {.vnni = false});
  EXPECT_EQ(whole.plan.weights_quantized.at(0).scheme.bits, 8);
  EXPECT_TRUE(whole.notes.empty());
  recipe.reduce_range = ReduceRange::true_;
  const PlanResult reduced = plan_of(model, recipe, {.vnni = false});
  EXPECT_EQ(reduced.plan.weights_quantized.at(0).scheme.bits, 7);
  EXPECT_TRUE(reduced.notes.empty()) << "the recipe asked for it";
}

TEST(PlanDynamic, SaysWhyNot) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto reason = [](Tensor weight) {
    return op_named(plan_of(matmul_of(std::move(weight))).plan, "y").reason;
  };
  EXPECT_EQ(reason(Tensor::from<float>({1, 1}, {kNan})), "its weight holds NaN or infinity");
  EXPECT_EQ(reason(Tensor::from<double>({1, 1}, {1})), "its weight is float64, not float32");
  EXPECT_EQ(reason(Tensor::from<float>({1}, {1})),
            "its weight has 1 dimensions, too few for an integer kernel");
  EXPECT_EQ(reason(Tensor::from<float>({0, 2}, {})), "its weight is empty");
  Model old = matmul_of(Tensor::from<float>({1, 1}, {1}));
  old.vocabulary = {.dynamic_codes = false, .version = "opset 10", .whole = "opset 13"};
  EXPECT_NE(op_named(plan_of(old).plan, "y").reason.find("opset 10"), std::string::npos);
}

TEST(PlanDynamic, WhatALogarithmReadsStaysFloatUnlessItIsForced) {
  SmallGraph net;
  net.input("x").weight("mel", {2, 2}, {1, 0, 0.5F, 1}).weight("w", {2, 2}, {1, -1, 1, 1});
  net.node(Kind::matmul, {"x", "mel"}, "bands").node(Kind::log, {"bands"}, "l");
  net.node(Kind::matmul, {"l", "w"}, "cepstrum").output("cepstrum");
  const Plan plan = plan_of(net.model()).plan;
  EXPECT_EQ(op_named(plan, "bands").form, OpForm::float_);
  EXPECT_NE(op_named(plan, "bands").reason.find("logarithm"), std::string::npos);
  EXPECT_EQ(op_named(plan, "cepstrum").form, OpForm::dynamic);
  Recipe forced = recipe_for(Approach::dynamic);
  forced.op_name_dict["node_bands"] = {.activation = {.dtype = AskedDtype::int_},
                                       .weight = {.dtype = AskedDtype::int_}};
  EXPECT_EQ(op_named(plan_of(net.model(), forced).plan, "bands").form, OpForm::dynamic);
}

TEST(PlanDynamic, OptionsWithoutEffectAreNoted) {
  const Model model = matmul_of(Tensor::from<float>({1, 1}, {1}));
  EXPECT_TRUE(plan_of(model).notes.empty());
  Recipe recipe = recipe_for(Approach::dynamic);
  recipe.activation.dtype = AskedDtype::int8;
  recipe.quant_format = QuantFormat::qoperator;
  const std::vector<std::string> notes = plan_of(model, recipe).notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("activation have no effect"), std::string::npos);
  EXPECT_NE(notes[1].find("quant_format has no effect"), std::string::npos);
}

}  // namespace
}  // namespace quantlens
