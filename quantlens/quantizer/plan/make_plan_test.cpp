// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/make_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/words.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

Ranges ranges_for(const Model& model, const Recipe& recipe = {}, float min = -1, float max = 1) {
  Ranges ranges;
  for (const std::string& value : Planned(model, recipe).draft.values_to_calibrate()) {
    ranges.values.push_back(
        {.value = value, .min = min, .max = max, .algorithm = RangeAlgorithm::minmax});
  }
  return ranges;
}

PlanResult result_of(const Model& model, const Recipe& recipe = {}) {
  return make_plan(Planned(model, recipe).draft, ranges_for(model, recipe), {});
}

const OpPlan& op(const Plan& plan, const std::string& id) {
  for (const OpPlan& candidate : plan.ops) {
    if (candidate.op.id == id) return candidate;
  }
  throw std::out_of_range(id);
}

const ActivationPlan* activation(const Plan& plan, const std::string& value) {
  for (const ActivationPlan& candidate : plan.activations) {
    if (candidate.value == value) return &candidate;
  }
  return nullptr;
}

SmallGraph planned_convs() {
  SmallGraph net;
  net.input("x")
      .weight("w1", {2, 1, 1, 1}, {1, 0.01F})
      .weight("b1", {2}, {0.5F, 0.5F})
      .weight("w2", {1, 2, 1, 1}, {1, 1});
  net.node(Kind::conv, {"x", "w1", "b1"}, "c1")
      .node(Kind::relu, {"c1"}, "r1")
      .node(Kind::max_pool, {"r1"}, "p");
  net.node(Kind::conv, {"p", "w2"}, "c2").node(Kind::softmax, {"c2"}, "y").output("y");
  return net;
}

Model in_words_of(const Vocabulary& vocabulary) {
  Model model = planned_convs().model();
  model.vocabulary = vocabulary;
  return model;
}

TEST(MakePlan, GivesOneScaleToAWeightWhereTheModelsOperatorsKnowNoMore) {
  EXPECT_TRUE(result_of(in_words_of({})).plan.weights_quantized[0].scheme.axis);
  EXPECT_TRUE(result_of(in_words_of({})).notes.empty());
  const PlanResult old =
      result_of(in_words_of({.channel_scales = false, .version = "opset 12", .whole = "opset 13"}));
  EXPECT_TRUE(op(old.plan, "c1").quantized);
  EXPECT_FALSE(old.plan.weights_quantized[0].scheme.axis);
  ASSERT_EQ(old.notes.size(), 1U);
  EXPECT_THAT(old.notes[0], testing::HasSubstr("(opset 12) know no scale for each channel"));
  EXPECT_THAT(old.notes[0], testing::HasSubstr("export it again with opset 13 or newer"));
}

TEST(MakePlan, LeavesAllInFloatWhereTheModelsOperatorsKnowNoCodes) {
  const PlanResult old = result_of(in_words_of({.codes = false, .channel_scales = false}));
  EXPECT_FALSE(op(old.plan, "c1").quantized);
  EXPECT_NE(op(old.plan, "c1").reason.find("QuantizeLinear"), std::string::npos);
  EXPECT_TRUE(old.plan.activations.empty());
  EXPECT_TRUE(old.notes.empty());
}

TEST(MakePlan, DecidesTheSameForEitherFormatAndSaysWhichOne) {
  const Plan pairs = result_of(planned_convs().model()).plan;
  const Plan integer =
      result_of(planned_convs().model(), {.quant_format = QuantFormat::qoperator}).plan;
  const Plan usual =
      result_of(planned_convs().model(), {.quant_format = QuantFormat::default_}).plan;
  EXPECT_EQ(pairs.quant_format, QuantFormat::qdq);
  EXPECT_EQ(integer.quant_format, QuantFormat::qoperator);
  EXPECT_EQ(usual.quant_format, QuantFormat::qdq);
  EXPECT_EQ(integer.ops, pairs.ops);
  EXPECT_EQ(integer.activations, pairs.activations);
  EXPECT_EQ(integer.weights_quantized, pairs.weights_quantized);
}

TEST(MakePlan, QuantizesConvsAndWhatLiesBetween) {
  const SmallGraph net = planned_convs();
  const Plan plan = result_of(net.model()).plan;
  for (const char* id : {"c1", "r1", "p", "c2"}) EXPECT_TRUE(op(plan, id).quantized) << id;
  EXPECT_EQ(op(plan, "c1").pattern, (std::vector<std::string>{"conv", "relu"}));
  EXPECT_FALSE(op(plan, "y").quantized);
  EXPECT_EQ(op(plan, "y").reason, "softmax has no integer form here");
  EXPECT_FALSE(activation(plan, "c1")) << "between Conv and Relu nothing is stored";
  ASSERT_TRUE(activation(plan, "r1"));
  EXPECT_TRUE(activation(plan, "r1")->all_uses);
  EXPECT_EQ(activation(plan, "x")->uses, (std::vector<ValueUse>{{"c1", 0}}));
}

TEST(MakePlan, GivesOpsThatMoveCodesTheParametersOfTheirInput) {
  const SmallGraph net = planned_convs();
  Ranges ranges = ranges_for(net.model());
  for (ValueRange& range : ranges.values) {
    if (range.value == "p") range.max = 0.25F;  // a maximum pool may see less than its input holds
  }
  const Plan plan = make_plan(Planned(net.model()).draft, ranges, {}).plan;
  EXPECT_EQ(activation(plan, "p")->params, activation(plan, "r1")->params);
}

TEST(ValuesToCalibrate, ForAllAreThoseOfEveryChoiceOfOpsInFloatOrIn16Bits) {
  SmallGraph net = planned_convs();
  net.node(Kind::reshape, {"p", "shape"}, "moved").node(Kind::conv, {"moved", "w2"}, "c3");
  net.node(Kind::add, {"c3", "c2"}, "a").node(Kind::relu, {"a"}, "r");
  net.node(Kind::matmul, {"r", "r"}, "m").output("m");
  const std::vector<std::string> all = Planned(net.model()).draft.values_to_calibrate_for_all();
  const std::size_t ops = net.graph().nodes.size();
  for (const AskedDtype dtype : {AskedDtype::fp32, AskedDtype::int16}) {
    bool is_missed_by_one = false;
    for (std::size_t choice = 0; choice < (std::size_t{1} << ops); ++choice) {
      Recipe recipe;
      for (std::size_t i = 0; i < ops; ++i) {
        if ((choice >> i & 1U) == 0) continue;
        recipe.op_name_dict[pattern_of(net.graph().nodes[i].name)].activation.dtype = dtype;
      }
      const Planned planned(net.model(), recipe);
      const auto values = planned.draft.values_to_calibrate();
      ASSERT_TRUE(std::ranges::includes(all, values)) << word(dtype) << choice;
      is_missed_by_one |= !values.empty() && values.size() < all.size();
      ASSERT_EQ(planned.draft.values_to_calibrate_for_all(), all);
    }
    EXPECT_TRUE(is_missed_by_one) << word(dtype) << ": or this says nothing";
  }
}

TEST(ValuesToCalibrate, AreThoseThatBecomeCodesAndOnlyWhereTheyAreComputed) {
  SmallGraph net = planned_convs();
  net.node(Kind::reshape, {"p", "shape"}, "moved").node(Kind::conv, {"moved", "w2"}, "c3");
  net.node(Kind::mul, {"y", "y"}, "squared");
  using Names = std::vector<std::string>;
  EXPECT_EQ(Planned(net.model()).draft.values_to_calibrate(), (Names{"c2", "c3", "p", "r1", "x"}));
  Recipe recipe;
  recipe.op_name_dict["node_c[13]"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  EXPECT_EQ(Planned(net.model(), recipe).draft.values_to_calibrate(), (Names{"c2", "p", "r1"}))
      << "MaxPool gives codes with the scale of what it reads";
  const Plan plan = result_of(net.model()).plan;
  ASSERT_TRUE(activation(plan, "moved"));
  EXPECT_EQ(activation(plan, "moved")->params, activation(plan, "p")->params);
}

TEST(MakePlan, ScalesABiasByInputTimesWeight) {
  const Plan plan = result_of(planned_convs().model()).plan;
  const WeightPlan* weight = nullptr;
  const WeightPlan* bias = nullptr;
  for (const WeightPlan& candidate : plan.weights_quantized) {
    if (candidate.weight == "w1") weight = &candidate;
    if (candidate.weight == "b1") bias = &candidate;
  }
  ASSERT_TRUE(weight && bias);
  ASSERT_EQ(weight->params.size(), 2U);
  EXPECT_EQ(weight->scheme.axis, 0);
  EXPECT_EQ(bias->scheme.dtype, DType::int32);
  const float input_scale = activation(plan, "x")->params.scale;
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_FLOAT_EQ(bias->params[c].scale, weight->params[c].scale * input_scale);
  }
}

TEST(MakePlan, WidensAWeightScaleWhoseBiasWouldNotFitInt32) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 1e-12F}).weight("b", {2}, {1, 100});
  net.node(Kind::conv, {"x", "w", "b"}, "c").output("c");
  const Plan plan = result_of(net.model()).plan;
  for (const WeightPlan& stored : plan.weights_quantized) {
    if (stored.weight != "b") continue;
    EXPECT_LE(100 / stored.params[1].scale, 1.1e9F);
  }
}

TEST(MakePlan, HoldsTheBiasOfAChannelWithoutAWeight) {
  for (const Granularity granularity : {Granularity::per_channel, Granularity::per_tensor}) {
    SmallGraph net;
    const float other = granularity == Granularity::per_tensor ? 0 : 1;
    net.input("x").weight("w", {2, 1, 1, 1}, {other, 0}).weight("b", {2}, {1, 0.003F});
    net.node(Kind::conv, {"x", "w", "b"}, "c").output("c");
    Recipe recipe;
    recipe.weight.granularity = granularity;
    const Plan plan = result_of(net.model(), recipe).plan;
    const auto bias = std::ranges::find(plan.weights_quantized, "b", &WeightPlan::weight);
    ASSERT_NE(bias, plan.weights_quantized.end());
    const float step = bias->params.back().scale;
    EXPECT_LT(step, 1e-4 * 0.003) << word(granularity);
    EXPECT_GT(step, 0.003F / (1 << 30)) << "it fits int32";
  }
}

TEST(MakePlan, LeavesAnOpFloatThatNoIntegerOpReads) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {1});
  net.node(Kind::conv, {"x", "w"}, "c")
      .node(Kind::leaky_relu, {"c"}, "m")
      .node(Kind::softmax, {"m"}, "y")
      .output("y");
  const Plan plan = result_of(net.model()).plan;
  EXPECT_TRUE(op(plan, "c").quantized);
  EXPECT_FALSE(op(plan, "m").quantized);
  EXPECT_NE(op(plan, "m").reason.find("only float ops read"), std::string::npos);
}

TEST(MakePlan, QuantizesAResidualAddBetweenConvs) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {1});
  net.node(Kind::conv, {"x", "w"}, "a")
      .node(Kind::conv, {"a", "w"}, "b")
      .node(Kind::add, {"a", "b"}, "sum");
  net.node(Kind::relu, {"sum"}, "r").node(Kind::conv, {"r", "w"}, "y").output("y");
  const Plan plan = result_of(net.model()).plan;
  EXPECT_TRUE(op(plan, "sum").quantized);
  EXPECT_EQ(op(plan, "sum").pattern, (std::vector<std::string>{"add", "relu"}));
  std::size_t stored = 0;
  for (const WeightPlan& weight : plan.weights_quantized) stored += weight.weight == "w" ? 1 : 0;
  EXPECT_EQ(stored, 1U) << "a shared weight is stored once";
}

TEST(MakePlan, KeepsTheResultOfAMatMulFloatForFloatReaders) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("b", {2}, {1, 1});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::add, {"m", "b"}, "logits").output("logits");
  const Plan plan = result_of(net.model()).plan;
  EXPECT_TRUE(op(plan, "m").quantized);
  EXPECT_FALSE(activation(plan, "logits"));
  EXPECT_FALSE(activation(plan, "m"));
}

TEST(MakePlan, ObeysTheRecipeAndReportsPatternsThatMatchNothing) {
  const SmallGraph net = planned_convs();
  Recipe recipe;
  recipe.op_name_dict["node_c1"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  recipe.op_name_dict["node_c3"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  const PlanResult result = result_of(net.model(), recipe);
  EXPECT_EQ(op(result.plan, "c1").reason, "the recipe keeps it in float");
  EXPECT_TRUE(op(result.plan, "c2").quantized);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("node_c3"), std::string::npos);
  EXPECT_NE(result.notes[0].find("node_c2"), std::string::npos);
}

TEST(MakePlan, KeepsTheRuntimeFromQuantizingAConvThatStaysFloat) {
  SmallGraph net = planned_convs();
  net.weight("w3", {2, 1, 1, 1}, {1, 1});
  net.node(Kind::conv, {"c2", "w3"}, "c3").node(Kind::conv, {"c3", "w2"}, "c4");
  Recipe recipe;
  recipe.op_name_dict["node_c[13]"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  const Plan plan = result_of(net.model(), recipe).plan;
  const auto biases_of = [&](const std::string& id) {
    std::vector<const WeightPlan*> found;
    for (const WeightPlan& weight : plan.weights_quantized) {
      if (weight.uses == std::vector<ValueUse>{{id, 2}}) found.push_back(&weight);
    }
    return found;
  };
  EXPECT_TRUE(biases_of("c1").empty()) << "its input is float";
  ASSERT_EQ(biases_of("c3").size(), 1U) << "it lies between c2 and c4, which are int8";
  const WeightPlan& bias = *biases_of("c3")[0];
  EXPECT_EQ(bias.scheme.dtype, DType::int32);
  EXPECT_EQ(plan.weights.at(bias.weight).shape(), (Shape{2})) << "it had none: zeros";
  EXPECT_FALSE(op(plan, "c3").quantized);
}

// x -> Mul -> Conv c1 -> Relu -> Conv c2 -> MatMul m -> Mul s -> y
SmallGraph a_line() {
  SmallGraph net;
  net.input("x")
      .weight("w", {1, 1, 1, 1}, {1})
      .weight("k", {1}, {2})
      .weight("v", {2, 2}, {1, 2, 3, 4});
  net.node(Kind::mul, {"x", "k"}, "before")
      .node(Kind::conv, {"before", "w"}, "c1")
      .node(Kind::relu, {"c1"}, "r")
      .node(Kind::conv, {"r", "w"}, "c2")
      .node(Kind::matmul, {"c2", "v"}, "m")
      .node(Kind::leaky_relu, {"m"}, "s")
      .node(Kind::relu, {"s"}, "y")
      .output("y");
  return net;
}

std::vector<std::string> float_ops(const Plan& plan) {
  std::vector<std::string> names;
  for (const OpPlan& one : plan.ops) {
    if (!one.quantized) names.push_back(one.op.id);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(MakePlan, KeepsTheFirstAndTheLastConvOrMatMulInFloat) {
  Recipe recipe;
  recipe.recipes.first_conv_or_matmul_quantization = false;
  const Plan first = result_of(a_line().model(), recipe).plan;
  EXPECT_EQ(float_ops(first), (Names{"before", "c1", "r", "s", "y"}));
  EXPECT_NE(op(first, "c1").reason.find("first_conv_or_matmul_quantization"), std::string::npos);
  recipe.recipes = {.last_conv_or_matmul_quantization = false};
  const Plan last = result_of(a_line().model(), recipe).plan;
  EXPECT_FALSE(op(last, "m").quantized);
  EXPECT_TRUE(op(last, "c1").quantized);
  EXPECT_TRUE(op(last, "c2").quantized);
}

TEST(MakePlan, CountsAsFirstAndLastWhatCouldBeIntegerAndObeysTheOpsOwnEntries) {
  SmallGraph net = a_line();
  net.weight("w", {1, 1, 1, 1}, {std::numeric_limits<float>::infinity()});
  Recipe recipe;
  recipe.recipes.first_conv_or_matmul_quantization = false;
  EXPECT_FALSE(op(result_of(net.model(), recipe).plan, "m").quantized) << "the Convs cannot be";
  recipe.op_name_dict["node_m"].activation.dtype = AskedDtype::int_;
  EXPECT_TRUE(op(result_of(net.model(), recipe).plan, "m").quantized) << "its entry wins";
}

TEST(MakePlan, KeepsPreAndPostProcessInFloat) {
  const Recipe all{
      .op_type_dict = {{".*", {.activation = {.dtype = AskedDtype::int_}, .weight = {}}}}};
  EXPECT_EQ(float_ops(result_of(a_line().model(), all).plan), Names{});
  Recipe recipe;
  recipe.recipes.pre_post_process_quantization = false;
  SmallGraph net = a_line();
  net.node(Kind::conv, {"y", "w"}, "c3");  // what leads to it is no pre-process
  EXPECT_EQ(float_ops(result_of(net.model()).plan), Names{"before"});
  net.node(Kind::max_pool, {"x"}, "p").node(Kind::conv, {"p", "w"}, "c4");
  net.node(Kind::max_pool, {"c4"}, "q");
  EXPECT_EQ(float_ops(result_of(net.model(), recipe).plan), (Names{"before", "q"}));
  recipe = {.op_type_dict = all.op_type_dict};
  recipe.recipes.pre_post_process_quantization = false;
  EXPECT_EQ(float_ops(result_of(net.model(), recipe).plan), Names{}) << "entries for ops win";
}

TEST(MakePlan, MakesAnOpIntegerThatWouldStayFloatOnlyForProfit) {
  Recipe recipe;
  recipe.op_name_dict["node_s"] = {.activation = {.dtype = AskedDtype::uint8}, .weight = {}};
  const PlanResult forced = result_of(a_line().model(), recipe);
  EXPECT_EQ(float_ops(forced.plan), (Names{"before", "y"}));
  EXPECT_TRUE(activation(forced.plan, "m")) << "its reader wants codes now";
  EXPECT_TRUE(activation(forced.plan, "s")->all_uses);
  EXPECT_TRUE(forced.notes.empty());
}

TEST(MakePlan, MakesTheInsideOfALayerNormIntegerWhereTheRecipeSaysSo) {
  SmallGraph net;
  net.input("x").weight("two", {1}, {2}).weight("eps", {1}, {1e-5F});
  net.node(Kind::reduce_mean, {"x"}, "mean")
      .node(Kind::sub, {"x", "mean"}, "d")
      .node(Kind::mul, {"d", "d"}, "dd")
      .node(Kind::reduce_mean, {"dd"}, "v")
      .node(Kind::add, {"v", "eps"}, "ve")
      .node(Kind::sqrt, {"ve"}, "sd")
      .node(Kind::div, {"d", "sd"}, "n")
      .output("n");
  ASSERT_EQ(op(result_of(net.model()).plan, "dd").reason, "inside LayerNormalization");
  Recipe recipe;
  recipe.op_type_dict[".*"] = {.activation = {.dtype = AskedDtype::int_}, .weight = {}};
  const Plan plan = result_of(net.model(), recipe).plan;
  EXPECT_TRUE(op(plan, "dd").quantized);
  EXPECT_TRUE(op(plan, "ve").quantized);
  EXPECT_EQ(op(plan, "sd").reason, "inside LayerNormalization") << "no kernel takes codes";
}

/// The runtime would join the normalization behind a conversion from half, and refuse its scale.
TEST(MakePlan, WhatANormalizationReadsIsNotInHalf) {
  SmallGraph net;
  net.input("x").weight("two", {1}, {2}).weight("eps", {1}, {1e-5F});
  net.node(Kind::tanh, {"x"}, "a").node(Kind::tanh, {"x"}, "b").output("b");
  net.node(Kind::reduce_mean, {"a"}, "mean").node(Kind::sub, {"a", "mean"}, "d");
  net.node(Kind::pow, {"d", "two"}, "dd").node(Kind::reduce_mean, {"dd"}, "v");
  net.node(Kind::add, {"v", "eps"}, "ve").node(Kind::sqrt, {"ve"}, "sd");
  net.node(Kind::div, {"d", "sd"}, "n").output("n");
  Model model = net.model();
  Recipe recipe;
  recipe.fallback = Fallback::fp16;
  const Plan plan = result_of(model, recipe).plan;
  EXPECT_EQ(op(plan, "b").form, OpForm::fp16);
  EXPECT_EQ(op(plan, "a").form, OpForm::float_);
  EXPECT_THAT(op(plan, "a").reason, testing::HasSubstr("a normalization in float reads it"));
}

TEST(MakePlan, QuantizesATableThatIsLookedUpWhereTheRecipeSaysSo) {
  SmallGraph net;
  net.input("i").weight("table", {2, 2}, {-1, 0, 0.5F, 3});
  net.node(Kind::gather, {"table", "i"}, "row").output("row");
  EXPECT_FALSE(op(result_of(net.model()).plan, "row").quantized);
  Recipe recipe;
  recipe.op_type_dict["gather"] = {.activation = {.dtype = AskedDtype::int_}, .weight = {}};
  const Plan plan = result_of(net.model(), recipe).plan;
  EXPECT_TRUE(op(plan, "row").quantized);
  ASSERT_EQ(plan.weights_quantized.size(), 1U);
  EXPECT_EQ(plan.weights_quantized[0].params[0], activation(plan, "row")->params);
  EXPECT_FLOAT_EQ(activation(plan, "row")->params.scale, 4.0F / 255) << "of the table's range";
}

TEST(MakePlan, LeavesResultsFloatWhereTheRecipeExcludesThemAndAKernelCan) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4});
  net.node(Kind::matmul, {"x", "w"}, "a")
      .node(Kind::matmul, {"a", "w"}, "b")
      .node(Kind::softmax, {"a"}, "s");
  EXPECT_TRUE(activation(result_of(net.model()).plan, "a")->all_uses);
  Recipe recipe;
  recipe.recipes.optypes_to_exclude_output_quant = {"matmul", "conv", "mat"};
  const PlanResult result = result_of(net.model(), recipe);
  EXPECT_EQ(activation(result.plan, "a")->uses, (std::vector<ValueUse>{{"b", 0}}));
  ASSERT_EQ(result.notes.size(), 2U) << "there is no conv and no mat";
  recipe.recipes.optypes_to_exclude_output_quant = {"conv"};
  const PlanResult conv = result_of(planned_convs().model(), recipe);
  ASSERT_EQ(conv.notes.size(), 1U);
  EXPECT_NE(conv.notes[0].find("gives codes only"), std::string::npos);
  EXPECT_EQ(conv.plan.activations, result_of(planned_convs().model()).plan.activations);
}

TEST(MakePlan, SaysWhereAnEntryChangesNothing) {
  Recipe recipe;
  recipe.op_name_dict["node_s"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  recipe.op_type_dict["softmax"] = {.activation = {.dtype = AskedDtype::int_}, .weight = {}};
  recipe.op_type_dict["conv"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  SmallGraph net = a_line();
  net.node(Kind::softmax, {"y"}, "z");
  const std::vector<std::string> notes = result_of(net.model(), recipe).notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].find("op_type_dict: 'softmax' has no effect: what it matches stays float "
                          "(softmax has no integer form here)"),
            0U);
  EXPECT_EQ(notes[1].find("op_name_dict: 'node_s' has no effect: what it matches would be float "
                          "anyway (only float ops read"),
            0U);
}

TEST(MakePlan, SaysOfWhatIsFoldedIntoAnIntegerOpThatItCannotStayFloat) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).weight("f", {2, 1, 1}, {2, 3});
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::mul, {"c", "f"}, "m");
  net.node(Kind::conv, {"m", "v"}, "d").weight("v", {1, 2, 1, 1}, {1, 2}).output("d");
  Recipe recipe;
  recipe.op_name_dict["node_m"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  recipe.op_type_dict["mul"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  const PlanResult result = result_of(net.model(), recipe);
  EXPECT_EQ(op(result.plan, "m").precision, Precision::int8) << "it is part of the Conv";
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_EQ(result.notes[0],
            "op_type_dict: 'mul' asks for float, but the constants of one op are part of integer "
            "ops now: node_m (of node_c); to keep them in float, keep those in float");
  recipe.op_name_dict["node_c"] = recipe.op_name_dict["node_m"];
  EXPECT_TRUE(result_of(net.model(), recipe).notes.empty());
}

TEST(MakePlan, KnowsOpsThatWereFoldedBeforeItBegan) {
  Recipe recipe;
  recipe.op_name_dict["gone"] = {.activation = {.dtype = AskedDtype::fp32}, .weight = {}};
  const Model model = planned_convs().model();
  const auto notes_with = [&](const std::vector<GoneOp>& gone) {
    Planned planned(model, recipe);
    planned.analyzed.prepared.gone = gone;
    return make_plan(planned.draft, ranges_for(model, recipe), {}).notes;
  };
  ASSERT_EQ(notes_with({}).size(), 1U);
  EXPECT_NE(notes_with({})[0].find("matches no op"), std::string::npos);
  const auto notes = notes_with({{.name = "gone", .type = "mul", .into = "node_c2"}});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("gone (of node_c2)"), std::string::npos);
}

int bits_of(const Recipe& recipe, const Target& machine, const std::string& weight = "w1") {
  const SmallGraph net = planned_convs();
  const Plan plan =
      make_plan(Planned(net.model(), recipe).draft, ranges_for(net.model()), machine).plan;
  for (const WeightPlan& stored : plan.weights_quantized) {
    if (stored.weight == weight) return stored.scheme.bits;
  }
  return 0;
}

TEST(MakePlan, ReducesTheRangeOfInt8WeightsWhereTheTargetSaturates) {
  EXPECT_EQ(bits_of({}, {.vnni = true}), 8);
  EXPECT_EQ(bits_of({}, {.vnni = false}), 7);
  EXPECT_EQ(bits_of({.target = TargetCpu::avx2}, {.vnni = true}), 7);
  EXPECT_EQ(bits_of({.target = TargetCpu::avx512}, {.vnni = true}), 7);
  EXPECT_EQ(bits_of({.target = TargetCpu::vnni}, {.vnni = false}), 8);
  EXPECT_EQ(bits_of({.target = TargetCpu::arm}, {.vnni = false}), 8);
  EXPECT_EQ(bits_of({.target = TargetCpu::avx2, .reduce_range = ReduceRange::false_}, {}), 8);
  EXPECT_EQ(bits_of({.target = TargetCpu::vnni, .reduce_range = ReduceRange::true_}, {}), 7);
  Recipe unsigned_weights{.target = TargetCpu::avx2};
  unsigned_weights.weight.dtype = AskedDtype::uint8;
  EXPECT_EQ(bits_of(unsigned_weights, {}), 8) << "uint8 by uint8 is added up in 32 bits";
  unsigned_weights.reduce_range = ReduceRange::true_;
  EXPECT_EQ(bits_of(unsigned_weights, {}), 7);
  EXPECT_NE(
      result_of(planned_convs().model(), {.target = TargetCpu::avx2}).notes.at(0).find("7 bits"),
      std::string::npos);
  unsigned_weights.reduce_range = ReduceRange::auto_;
  for (const std::string& note : result_of(planned_convs().model(), unsigned_weights).notes)
    EXPECT_EQ(note.find("7 bits"), std::string::npos) << "none is of int8";
}

TEST(MakePlan, TakesInt8ActivationsForArmUnlessOthersAreAskedFor) {
  const auto dtype = [](const Recipe& recipe) {
    return result_of(planned_convs().model(), recipe).plan.activations[0].scheme.dtype;
  };
  EXPECT_EQ(dtype({}), DType::uint8);
  EXPECT_EQ(dtype({.target = TargetCpu::arm}), DType::int8);
  Recipe asked{.target = TargetCpu::arm};
  asked.activation.dtype = AskedDtype::uint8;
  EXPECT_EQ(dtype(asked), DType::uint8);
  EXPECT_TRUE(result_of(planned_convs().model(), asked).notes.empty());
}

TEST(MakePlan, GivesAnOpOf16BitsItsOwnCodesAndItsIntegerReadersTheirs) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {1});
  net.node(Kind::conv, {"x", "w"}, "a")
      .node(Kind::conv, {"a", "w"}, "b")
      .node(Kind::conv, {"b", "w"}, "c")
      .node(Kind::softmax, {"b"}, "s");
  Recipe recipe;
  recipe.op_name_dict["node_b"] = {
      .activation = {.dtype = AskedDtype::int16, .scheme = Symmetry::sym}, .weight = {}};
  const PlanResult result = result_of(net.model(), recipe);
  ASSERT_TRUE(activation(result.plan, "a")->all_uses);
  EXPECT_EQ(activation(result.plan, "a")->scheme.dtype, DType::uint8)
      << "its kernel gives no other";
  std::vector<ActivationPlan> of_b;
  for (const ActivationPlan& one : result.plan.activations) {
    if (one.value == "b") of_b.push_back(one);
  }
  ASSERT_EQ(of_b.size(), 2U);
  EXPECT_EQ(of_b[0].scheme,
            (Scheme{.dtype = DType::int16, .symmetric = true, .axis = {}, .bits = 16}));
  EXPECT_TRUE(of_b[0].all_uses);
  EXPECT_EQ(of_b[1].scheme.dtype, DType::uint8);
  EXPECT_EQ(of_b[1].uses, (std::vector<ValueUse>{{"c", 0}}));
  EXPECT_EQ(op(result.plan, "b").precision, Precision::fp32);
  EXPECT_EQ(op(result.plan, "c").precision, Precision::int8);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("16 bits"), std::string::npos);
}

TEST(MakePlan, TakesTheRangeOfTheWidthThatAValueIsStoredIn) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {1});
  net.node(Kind::conv, {"x", "w"}, "a").node(Kind::conv, {"a", "w"}, "b");
  Recipe recipe;
  recipe.op_name_dict["node_a"].activation.dtype = AskedDtype::uint16;
  const std::map<std::string, Scheme> wide = Planned(net.model(), recipe).draft.wide_values();
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_EQ(wide.at("a").dtype, DType::uint16);
  EXPECT_TRUE(wide.contains("x"));
  Ranges ranges = ranges_for(net.model(), recipe);
  ranges.wide = {{.value = "a", .min = -3, .max = 1}};
  const Plan plan = make_plan(Planned(net.model(), recipe).draft, ranges, {}).plan;
  EXPECT_EQ(activation(plan, "a")->scheme.dtype, DType::uint16);
  EXPECT_EQ(activation(plan, "a")->min, -3);
  EXPECT_EQ(plan.activations.back().value, "b");
  EXPECT_EQ(plan.activations[2].value, "a") << "for b";
  EXPECT_EQ(plan.activations[2].min, -1);
  EXPECT_EQ(activation(plan, "x")->min, -1) << "the only range that is known";
}

TEST(MakePlan, StoresWeightsIn4BitsAndSaysThatTheyAreComputedInFloat) {
  Recipe recipe;
  recipe.weight.dtype = AskedDtype::int4;
  const PlanResult result = result_of(planned_convs().model(), recipe);
  EXPECT_EQ(result.plan.weights_quantized[0].scheme.dtype, DType::int4);
  EXPECT_EQ(op(result.plan, "c1").precision, Precision::fp32);
  EXPECT_EQ(op(result.plan, "p").precision, Precision::int8);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("4 bits"), std::string::npos);
}

TEST(MakePlan, NarrowsRangesOfWeightsAndSaysWhatItGains) {
  SmallGraph net = planned_convs();
  std::vector<float> values(4096);  // cubes of sines: most are small
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(std::pow(std::sin(static_cast<double>(i)), 3));
  }
  values[7] = 2;
  net.weight("w1", {1, 1, 64, 64}, values);
  Recipe recipe;
  recipe.weight = {
      .dtype = AskedDtype::int4, .scheme = Symmetry::sym, .granularity = Granularity::per_tensor};
  EXPECT_TRUE(result_of(net.model(), recipe).plan.effects.empty());
  const float full = result_of(net.model(), recipe).plan.weights_quantized[0].params[0].scale;
  recipe.op_name_dict["node_c1"].weight.algorithm = RangeAlgorithm::mse;
  const Plan plan = result_of(net.model(), recipe).plan;
  EXPECT_LT(plan.weights_quantized[0].params[0].scale, full);
  ASSERT_EQ(plan.effects.size(), 1U);
  EXPECT_EQ(plan.effects[0].algorithm, AccuracyAlgorithm::weight_ranges);
  EXPECT_EQ(plan.effects[0].op.name, "node_c1");
  EXPECT_GT(plan.effects[0].gain_db, 0.5);
}
TEST(MakePlan, QuantizesNoOpButThoseNamedWhereTheModelIsToStayFloat) {
  Recipe recipe;
  recipe.activation.dtype = AskedDtype::fp32;
  recipe.op_name_dict["node_c2"] = {.activation = {.dtype = AskedDtype::int_}, .weight = {}};
  const Plan plan = result_of(planned_convs().model(), recipe).plan;
  EXPECT_FALSE(op(plan, "c1").quantized);
  EXPECT_TRUE(op(plan, "c2").quantized);
}

TEST(MakePlan, RefusesImpossibleRecipes) {
  const SmallGraph net = planned_convs();
  Recipe unknown;
  unknown.activation.percentile = 0;
  EXPECT_THROW(result_of(net.model(), unknown), Error);
  const std::vector<OpRecipe> misplaced = {
      {.activation = {.dtype = AskedDtype::int4}},
      {.activation = {.granularity = Granularity::per_channel}},
      {.weight = {.dtype = AskedDtype::uint16}},
      {.weight = {.granularity = Granularity::per_block}},
      {.weight = {.algorithm = RangeAlgorithm::entropy}}};
  for (const OpRecipe& one : misplaced) {
    Recipe recipe;
    recipe.op_type_dict["Conv"] = one;
    EXPECT_THROW(result_of(net.model(), recipe), Error);
  }
  Recipe broken;
  broken.op_type_dict["Conv("] = {};
  EXPECT_THROW(result_of(net.model(), broken), Error);
}

TEST(MakePlan, SaysWhyAnOpWithoutARangeOrWithBadWeightsStaysFloat) {
  SmallGraph net = planned_convs();
  Ranges none;
  EXPECT_NE(
      op(make_plan(Planned(net.model()).draft, none, {}).plan, "c1").reason.find("calibration"),
      std::string::npos);
  net.weight("w1", {2, 1, 1, 1}, {1, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(op(result_of(net.model()).plan, "c1").reason, "its weight holds NaN or infinity");
}

}  // namespace
}  // namespace quantlens
