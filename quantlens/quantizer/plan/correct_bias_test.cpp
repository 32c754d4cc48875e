// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/correct_bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

std::set<std::string> calibrated(const Model& model) {
  const std::vector<std::string> values = Planned(model).draft.values_to_calibrate();
  return {values.begin(), values.end()};
}

Plan bias_plan(const Model& model, const Recipe& recipe = {}) {
  Ranges ranges;
  for (const std::string& value : Planned(model, recipe).draft.values_to_calibrate()) {
    ranges.values.push_back(
        {.value = value, .min = -1, .max = 3, .algorithm = RangeAlgorithm::minmax});
  }
  return make_plan(Planned(model, recipe).draft, ranges, {}).plan;
}

/// Statistics of one value: two samples a channel, so that its mean is `means[c]`.
TapState statistics_of(const std::string& value, int axis, const std::vector<float>& means) {
  TapState state;
  ValueStats stats{.value = value,
                   .moments = {},
                   .histogram = {},
                   .channel_axis = axis,
                   .channels = {},
                   .channel_histograms = {}};
  for (const float side : {-0.5F, 0.5F}) {
    std::vector<float> sample = means;
    for (float& element : sample) element += side;
    stats.channels.add(sample, {.outer = 1, .channels = means.size(), .inner = 1});
  }
  state.values.push_back(std::move(stats));
  return state;
}

/// What the plan's op reads there, in float.
const Tensor& weight_read(const Plan& plan, const std::string& op, std::uint64_t input) {
  const auto edit = std::ranges::find(plan.input_edits, ValueUse{op, input}, &InputEdit::use);
  if (edit == plan.input_edits.end()) throw std::out_of_range(op);
  return plan.weights.at(edit->weight);
}

const WeightPlan* codes_read(const Plan& plan, const std::string& op, std::uint64_t input) {
  const WeightPlan* found = nullptr;
  for (const WeightPlan& codes : plan.weights_quantized) {
    for (const ValueUse& use : codes.uses) {
      if (use != ValueUse{op, input}) continue;
      EXPECT_EQ(found, nullptr) << "two codes for one input";
      found = &codes;
    }
  }
  return found;
}

/// The error of one weight element, by plain arithmetic.
double rounding(float value, const QParams& params) {
  return std::nearbyint(value / params.scale) * static_cast<double>(params.scale) - value;
}

SmallGraph grouped_conv() {
  SmallGraph net;
  net.input("x")
      .weight("w", {4, 2, 1, 2},
              {0.1F, 0.27F, 0.53F, 1, 0.33F, -0.71F, 0.9F, -1, 0.123F, 0.777F, -0.31F, 2, 0.01F,
               0.02F, 0.03F, 0.071F})
      .weight("b", {4}, {0.5F, -0.5F, 0.25F, 0})
      .node(Kind::conv, {"x", "w", "b"}, "c")
      .set(&roles::Convolution::groups, 2);
  net.node(Kind::relu, {"c"}, "r").node(Kind::max_pool, {"r"}, "y").output("y");
  return net;
}

TEST(CorrectBias, TakesFromTheBiasOfAConvWhatRoundingItsWeightAdds) {
  const SmallGraph net = grouped_conv();
  const std::vector<float> means = {1, -2, 0.5F, 3};
  Plan plan = bias_plan(net.model());
  const WeightPlan before = *codes_read(plan, "c", 2);
  correct_biases(Planned(net.model()).analyzed, statistics_of("x", 1, means), plan);

  const Tensor& corrected = weight_read(plan, "c", 2);
  const WeightPlan& weight = *codes_read(plan, "c", 1);
  const auto w = net.graph().weights.at("w").data<float>();
  const auto b = net.graph().weights.at("b").data<float>();
  for (std::size_t o = 0; o < 4; ++o) {
    double shift = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double mean = means[o / 2 * 2 + i];
      for (std::size_t k = 0; k < 2; ++k)
        shift += rounding(w[(o * 2 + i) * 2 + k], weight.params[o]) * mean;
    }
    EXPECT_NEAR(corrected.data<float>()[o], b[o] - shift, 1e-6) << o;
    EXPECT_NE(corrected.data<float>()[o], b[o]) << o;
  }
  EXPECT_EQ(codes_read(plan, "c", 2)->params, before.params);
  EXPECT_EQ(codes_read(plan, "c", 2)->weight, "c/bias/corrected");
  ASSERT_EQ(plan.effects.size(), 1);
  EXPECT_EQ(plan.effects[0].op, (OpRef{.id = "c", .name = "node_c"}));
  EXPECT_GT(plan.effects[0].gain_db, 0);
}

TEST(CorrectBias, TheMeanOutputOfTheRoundedOpIsTheFloatOpsThen) {
  const SmallGraph net = grouped_conv();
  const std::vector<float> means = {1, -2, 0.5F, 3};
  Plan plan = bias_plan(net.model());
  correct_biases(Planned(net.model()).analyzed, statistics_of("x", 1, means), plan);
  const WeightPlan& weight = *codes_read(plan, "c", 1);
  const Tensor rounded = dequantize(
      quantize(net.graph().weights.at("w"), weight.params, weight.scheme), weight.params, 0);
  const auto output = [&](const Tensor& w, const Tensor& b, std::size_t o) {
    double sum = b.data<float>()[o];
    for (std::size_t i = 0; i < 4; ++i)
      sum += static_cast<double>(w.data<float>()[o * 4 + i]) * means[o / 2 * 2 + i / 2];
    return sum;
  };
  for (std::size_t o = 0; o < 4; ++o) {
    EXPECT_NEAR(output(rounded, weight_read(plan, "c", 2), o),
                output(net.graph().weights.at("w"), net.graph().weights.at("b"), o), 1e-6);
  }
}

TEST(CorrectBias, AnOpWithoutBiasGetsOneInTheScaleOfItsSums) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {0.1F, 1}).node(Kind::conv, {"x", "w"}, "c");
  net.weight("w2", {2, 2}, {0.3F, 0.7F, 0.123F, 1});
  net.node(Kind::flatten, {"c"}, "f").node(Kind::gemm, {"f", "w2"}, "y").output("y");
  Plan plan = bias_plan(net.model());
  TapState statistics = statistics_of("f", 1, {1, 2});
  merge(statistics, {});
  correct_biases(Planned(net.model()).analyzed, statistics, plan);
  const Tensor& bias = weight_read(plan, "y", 2);
  EXPECT_EQ(bias.shape(), Shape{2});
  const WeightPlan& weight = *codes_read(plan, "y", 1);
  const double shift = rounding(0.3F, weight.params[0]) + rounding(0.123F, weight.params[0]) * 2;
  EXPECT_NEAR(bias.data<float>()[0], -shift, 1e-7);
  const WeightPlan& codes = *codes_read(plan, "y", 2);
  EXPECT_EQ(codes.scheme.dtype, DType::int32);
  const auto input = std::ranges::find(plan.activations, "f", &ActivationPlan::value);
  ASSERT_NE(input, plan.activations.end());
  EXPECT_FLOAT_EQ(codes.params[1].scale, weight.params[1].scale * input->params.scale);
  EXPECT_EQ(plan.effects.size(), 1) << "nothing is known of what the Conv reads";
}

TEST(CorrectBias, ABiasBehindAMatMulStaysFloatAndASharedOneIsKeptForTheOther) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {0.3F, 0.7F, 0.123F, 1}).weight("b", {2}, {1, 2});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::add, {"b", "m"}, "a");
  net.node(Kind::matmul, {"a", "w"}, "m2").node(Kind::add, {"m2", "b"}, "y").output("y");
  Plan plan = bias_plan(net.model());
  correct_biases(Planned(net.model()).analyzed, statistics_of("x", 1, {1, 2}), plan);
  EXPECT_EQ(weight_read(plan, "a", 0).shape(), Shape{2});
  const auto edit = std::ranges::find(plan.input_edits, ValueUse{"a", 0}, &InputEdit::use);
  EXPECT_EQ(edit->original, "b");
  EXPECT_EQ(std::ranges::count(plan.input_edits, ValueUse{"y", 1}, &InputEdit::use), 0);
  if (const WeightPlan* other = codes_read(plan, "y", 1)) {
    EXPECT_EQ(other->weight, "b");
  }
}

TEST(CorrectBias, WhatIsNotKnownOrNotFiniteChangesNothing) {
  const SmallGraph net = grouped_conv();
  const Plan untouched = bias_plan(net.model());
  const auto expect_nothing = [&](const TapState& statistics) {
    Plan plan = untouched;
    correct_biases(Planned(net.model()).analyzed, statistics, plan);
    EXPECT_TRUE(plan.effects.empty());
    EXPECT_EQ(plan.input_edits, untouched.input_edits);
    EXPECT_EQ(plan.weights_quantized, untouched.weights_quantized);
  };
  expect_nothing({});
  expect_nothing(statistics_of("y", 1, {1, 2, 3, 4}));
  expect_nothing(statistics_of("x", 1, {1, 2}));  // not its channels
}

TEST(CorrectBias, AChannelWhoseBiasWouldNotFitKeepsItAndTheOthersDoNot) {
  const SmallGraph net = grouped_conv();
  Plan plan = bias_plan(net.model());
  correct_biases(Planned(net.model()).analyzed, statistics_of("x", 1, {1e30F, 1e30F, 1, 2}), plan);
  const auto corrected = weight_read(plan, "c", 2).data<float>();
  const auto b = net.graph().weights.at("b").data<float>();
  EXPECT_EQ(corrected[0], b[0]);
  EXPECT_EQ(corrected[1], b[1]);
  EXPECT_NE(corrected[2], b[2]);
  EXPECT_NE(corrected[3], b[3]);
}

TEST(CorrectBias, ChannelsThatAreNeverFiniteCountAsNothing) {
  const SmallGraph net = grouped_conv();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Plan plan = bias_plan(net.model());
  correct_biases(Planned(net.model()).analyzed, statistics_of("x", 1, {kNan, kNan, kNan, kNan}),
                 plan);
  const auto b = net.graph().weights.at("b").data<float>();
  for (std::size_t o = 0; o < 4; ++o) EXPECT_EQ(weight_read(plan, "c", 2).data<float>()[o], b[o]);
}

/// A convolution of values whose channels are last, and no bias: as a frozen graph has it.
Model conv_with_channels_last() {
  SmallGraph net;
  net.input("x")
      .weight("w", {1, 1, 2, 3}, {0.1F, 0.27F, 0.53F, 1, 0.33F, -0.71F})
      .node(Kind::conv, {"x", "w"}, "c")
      .set(&roles::Convolution::channel_axis, 3)
      .set(&roles::Convolution::input_axis, 2)
      .set(&roles::Convolution::output_axis, 3);
  net.node(Kind::relu, {"c"}, "y").output("y");
  Model model = net.model();
  model.format = "graphdef";
  return model;
}

TEST(CorrectBias, ChannelsOfAConvLieWhereItsRoleSays) {
  const Model model = conv_with_channels_last();
  EXPECT_EQ(channels_for_bias(Planned(model).analyzed, calibrated(model)),
            (std::vector<ValueChannels>{{"x", 3}}));
  Plan plan = bias_plan(model);
  correct_biases(Planned(model).analyzed, statistics_of("x", 3, {2, -1}), plan);
  const WeightPlan& weight = *codes_read(plan, "c", 1);
  const double shift = rounding(0.27F, weight.params[1]) * 2 - rounding(0.33F, weight.params[1]);
  EXPECT_NEAR(weight_read(plan, "c", 2).data<float>()[1], -shift, 1e-7);
  EXPECT_EQ(codes_read(plan, "c", 2), nullptr) << "its kernel takes floats";
}

TEST(CorrectBias, AsksForTheChannelsOfWhatIsMultiplied) {
  SmallGraph net = grouped_conv();
  EXPECT_EQ(channels_for_bias(Planned(net.model()).analyzed, calibrated(net.model())),
            (std::vector<ValueChannels>{{"x", 1}}));
  EXPECT_TRUE(channels_for_bias(Planned(net.model()).analyzed, {"r"}).empty());
}

}  // namespace
}  // namespace quantlens
