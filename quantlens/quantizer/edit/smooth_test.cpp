// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/smooth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

constexpr std::size_t kInputs = 4;

/// Two samples of these channels: the values given, and their negatives.
TapState statistics_of(const std::string& value, const std::vector<float>& channels) {
  TapState state;
  ValueStats stats{.value = value,
                   .moments = {},
                   .histogram = {},
                   .channel_axis = 1,
                   .channels = {},
                   .channel_histograms = {}};
  for (const float side : {-1.0F, 1.0F}) {
    std::vector<float> sample = channels;
    for (float& element : sample) element *= side;
    stats.channels.add(sample, {.outer = 1, .channels = channels.size(), .inner = 1});
  }
  state.values.push_back(std::move(stats));
  return state;
}

/// A Gemm and a second one that read the same value, whose channel 2 is an outlier.
SmallGraph two_gemms() {
  SmallGraph net;
  net.input("x")
      .weight("w1", {4, 2}, {1, -0.5F, 0.25F, 1, -1, 0.5F, 0.5F, 1})
      .weight("w2", {3, 4}, {1, 0.5F, -1, 0.25F, 1, -0.5F, 1, 0.5F, -0.125F, 1, 0.5F, 0.25F})
      .node(Kind::relu, {"x"}, "r")
      .node(Kind::gemm, {"r", "w1"}, "a")
      .node(Kind::gemm, {"r", "w2"}, "b")
      .set(&roles::MatrixProduct::transposes_b, true)
      .node(Kind::sigmoid, {"r"}, "s")
      .output("a")
      .output("b")
      .output("s");
  return net;
}

const std::vector<float> kOutlier = {1, 0.5F, 100, 2};

Plan smoothed(const SmallGraph& net, const std::vector<float>& channels,
              const Recipe& recipe = {}) {
  return smooth(Planned(net.model(), recipe).draft, statistics_of("r", channels));
}

TEST(Smooth, OpsThatReadTheSameValueShareOneFactor) {
  const SmallGraph net = two_gemms();
  const Plan plan = smoothed(net, kOutlier);
  ASSERT_EQ(plan.scalings.size(), 1U);
  EXPECT_EQ(plan.scalings[0].value, "r");
  EXPECT_THAT(plan.scalings[0].uses, testing::ElementsAre(ValueUse{"a", 0}, ValueUse{"b", 0}))
      << "the Sigmoid reads what it read";
  ASSERT_EQ(plan.input_edits.size(), 2U);
  EXPECT_EQ(plan.input_edits[0].use, (ValueUse{"a", 1}));
  EXPECT_EQ(plan.input_edits[0].original, "w1");
}

TEST(Smooth, TheProductsStayWhatTheyWere) {
  const SmallGraph net = two_gemms();
  const Plan plan = smoothed(net, kOutlier);
  ASSERT_EQ(plan.scalings.size(), 1U);
  const auto factor = plan.weights.at(plan.scalings[0].factor).data<float>();
  const auto w1 = net.graph().weights.at("w1").data<float>();
  const auto w2 = net.graph().weights.at("w2").data<float>();
  const auto new1 = plan.weights.at("w1/smoothed").data<float>();
  const auto new2 = plan.weights.at("w2/smoothed").data<float>();
  for (std::size_t c = 0; c < kInputs; ++c) {
    for (std::size_t o = 0; o < 2; ++o) {
      EXPECT_NEAR(factor[c] * new1[c * 2 + o], w1[c * 2 + o], 1e-6);
    }
    for (std::size_t o = 0; o < 3; ++o) {
      EXPECT_NEAR(factor[c] * new2[o * kInputs + c], w2[o * kInputs + c], 1e-6);
    }
  }
  EXPECT_LT(factor[2], 0.5 * factor[0]) << "the outlier shrinks";
}

TEST(Smooth, TheFactorIsThatOfTheAlphaAskedFor) {
  const SmallGraph net = two_gemms();
  Recipe recipe;
  recipe.recipes.smooth_quant_alphas = {0.5};
  const Plan plan = smoothed(net, kOutlier, recipe);
  ASSERT_EQ(plan.scalings.size(), 1U);
  const auto factor = plan.weights.at(plan.scalings[0].factor).data<float>();
  const std::vector<double> rows = {1, 1, 1, 1};  // greatest weight of each channel, both ops
  for (const std::size_t c : {1U, 2U, 3U}) {
    const double expected = std::sqrt((kOutlier[0] * rows[c]) / (kOutlier[c] * rows[0]));
    EXPECT_NEAR(factor[c] / factor[0], expected, 1e-5) << c;
  }
}

TEST(Smooth, ItTakesTheAlphaOfLeastExpectedError) {
  const SmallGraph net = two_gemms();
  const auto gain = [&](std::vector<double> alphas) {
    Recipe recipe;
    recipe.recipes.smooth_quant_alphas = std::move(alphas);
    const Plan plan = smoothed(net, kOutlier, recipe);
    return plan.effects.empty() ? 0.0 : plan.effects[0].gain_db;
  };
  const double chosen = gain({});
  EXPECT_GT(chosen, kLeastGainDb);
  for (const double alpha : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    EXPECT_LE(gain({alpha}), chosen + 1e-9) << alpha;
  }
  EXPECT_EQ(gain({0.1, 0.5, 0.9}), std::max({gain({0.1}), gain({0.5}), gain({0.9})}));
}

TEST(Smooth, WhatGainsLittleStaysAsItIs) {
  const Plan plan = smoothed(two_gemms(), {1, 1, 1.25F, 1});
  EXPECT_TRUE(plan.scalings.empty());
  EXPECT_TRUE(plan.weights.empty());
  EXPECT_TRUE(plan.effects.empty());
}

TEST(Smooth, ChannelsOfZerosAreNotScaled) {
  const Plan plan = smoothed(two_gemms(), {1, 0, 100, 2});
  ASSERT_EQ(plan.scalings.size(), 1U);
  const auto factor = plan.weights.at(plan.scalings[0].factor).data<float>();
  EXPECT_EQ(factor[1], 1);
}

TEST(Smooth, WhatIsNotKnownOrNotFiniteStaysAsItIs) {
  const SmallGraph net = two_gemms();
  EXPECT_TRUE(
      smooth(Planned(net.model()).draft, statistics_of("other", kOutlier)).scalings.empty());
  EXPECT_TRUE(smoothed(net, {1, 2, 100}).scalings.empty()) << "another number of channels";
  EXPECT_TRUE(smoothed(net, {1, 0.5F, std::numeric_limits<float>::infinity(), 2}).scalings.empty());
  SmallGraph infinite = two_gemms();
  infinite.weight("w1", {4, 2}, {1, std::numeric_limits<float>::infinity(), 1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(smoothed(infinite, kOutlier).scalings.empty());
}

TEST(Smooth, WeightsThatSeveralOpsReadAreLeftOut) {
  SmallGraph net = two_gemms();
  net.node(Kind::gemm, {"s", "w1"}, "again").output("again");
  for (const Scaling& scaling : smoothed(net, kOutlier).scalings) {
    EXPECT_THAT(scaling.uses, testing::ElementsAre(ValueUse{"b", 0}));
  }
  const auto wanted = [&] { return channels_for_smoothing(Planned(net.model()).draft).size(); };
  EXPECT_EQ(wanted(), 1U) << "for the other op";
  net.node(Kind::gemm, {"s", "w2"}, "too")
      .set(&roles::MatrixProduct::transposes_b, true)
      .output("too");
  EXPECT_EQ(wanted(), 0U);
}

TEST(Smooth, CalibrationIsAskedForChannelsOfWhatIsRead) {
  const SmallGraph net = two_gemms();
  EXPECT_THAT(channels_for_smoothing(Planned(net.model()).draft),
              testing::ElementsAre(ValueChannels{"r", 1}));
  Recipe floats;
  floats.op_type_dict[".*"].activation.dtype = AskedDtype::fp32;
  EXPECT_TRUE(channels_for_smoothing(Planned(net.model(), floats).draft).empty());
}

}  // namespace
}  // namespace quantlens
