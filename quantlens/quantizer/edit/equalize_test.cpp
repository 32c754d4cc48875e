// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/equalize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Recipe recipe(AskedEqualization wish, Granularity granularity = Granularity::per_tensor) {
  Recipe recipe;
  recipe.recipes.cross_layer_equalization = wish;
  recipe.weight.granularity = granularity;
  return recipe;
}

Equalization equalized(const SmallGraph& net, AskedEqualization wish = AskedEqualization::true_) {
  return equalize(Planned(net.model()).analyzed, recipe(wish));
}

/// What an op reads there after the edit.
const Tensor& read(const SmallGraph& net, const Plan& plan, const ValueUse& use) {
  const auto edit = std::ranges::find(plan.input_edits, use, &InputEdit::use);
  if (edit != plan.input_edits.end()) return plan.weights.at(edit->weight);
  for (const Node& node : net.graph().nodes) {
    if (op_id(node) == use.op) return net.graph().weights.at(node.inputs.at(use.input));
  }
  throw std::out_of_range(use.op);
}

/// Row o of a [rows, columns] tensor: its greatest magnitude.
double row_range(const Tensor& tensor, std::size_t row) {
  const auto values = tensor.data<float>();
  const auto columns = values.size() / static_cast<std::size_t>(tensor.shape()[0]);
  double most = 0;
  for (std::size_t c = 0; c < columns; ++c)
    most = std::max<double>(most, std::abs(values[row * columns + c]));
  return most;
}

double column_range(const Tensor& tensor, std::size_t column) {
  const auto values = tensor.data<float>();
  const auto columns = static_cast<std::size_t>(tensor.shape()[1]);
  double most = 0;
  for (std::size_t i = column; i < values.size(); i += columns)
    most = std::max<double>(most, std::abs(values[i]));
  return most;
}

/// Two Convs of 1x1 over five channels, the first one's channel 3 far wider than the others.
class TwoConvs {
 public:
  TwoConvs() {
    net_.input("x")
        .weight("w1", {5, 2, 1, 1}, {1, -0.5F, 0.25F, 1, -1, 0.5F, 64, -20, 0.5F, 1})
        .weight("b1", {5}, {0.5F, -0.25F, 1, 32, 0})
        .weight("w2", {2, 5, 1, 1}, {1, 0.5F, -1, 0.25F, 1, -0.5F, 1, 0.5F, -0.125F, 1})
        .weight("zero", {}, {0})
        .weight("six", {}, {6})
        .node(Kind::conv, {"x", "w1", "b1"}, "c1");
  }
  SmallGraph& net() { return net_; }
  TwoConvs& between(Kind kind, std::vector<std::string> more = {}) {
    more.insert(more.begin(), last_);
    net_.node(kind, std::move(more), last_ + "'");
    last_ += "'";
    return *this;
  }
  SmallGraph& finish() {
    net_.node(Kind::conv, {last_, "w2"}, "y").output("y");
    return net_;
  }
  const std::string& last() const { return last_; }

 private:
  SmallGraph net_;
  std::string last_ = "c1";
};

/// The two Convs for one pixel, in double.
std::vector<double> computed(const SmallGraph& net, const Plan& plan,
                             const std::vector<double>& x) {
  const auto times = [](const Tensor& weight, const std::vector<double>& vector) {
    std::vector<double> result(static_cast<std::size_t>(weight.shape()[0]), 0.0);
    for (std::size_t o = 0; o < result.size(); ++o) {
      for (std::size_t i = 0; i < vector.size(); ++i)
        result[o] += weight.data<float>()[o * vector.size() + i] * vector[i];
    }
    return result;
  };
  std::vector<double> inside = times(read(net, plan, {"c1", 1}), x);
  for (std::size_t c = 0; c < inside.size(); ++c) {
    inside[c] = std::max(0.0, inside[c] + read(net, plan, {"c1", 2}).data<float>()[c]);
  }
  return times(read(net, plan, {"y", 1}), inside);
}

TEST(Equalize, AnOutlyingChannelIsSharedWithTheOpThatReadsIt) {
  TwoConvs convs;
  const SmallGraph& net = convs.between(Kind::relu).finish();
  const Equalization made = equalized(net);
  EXPECT_TRUE(made.is_exact);
  EXPECT_EQ(made.pairs, 1U);
  // 64 times the median of the ranges 1, 1, 1, 64, 1; a quarter of that of 1, 1, 1, 0.25, 1:
  // s = sqrt(64 / 0.25) = 16, which is what brings 64 to kOutlier
  const double s = 16;
  const Tensor& first = read(net, made.plan, {"c1", 1});
  const Tensor& second = read(net, made.plan, {"y", 1});
  EXPECT_NEAR(row_range(first, 3), 64 / s, 1e-5);
  EXPECT_NEAR(column_range(second, 3), 0.25 * s, 1e-5);
  EXPECT_NEAR(row_range(first, 3), column_range(second, 3), 1e-5) << "equal afterwards";
  EXPECT_NEAR(read(net, made.plan, {"c1", 2}).data<float>()[3], 32 / s, 1e-5);
  for (const std::size_t untouched : {0, 1, 2, 4}) {
    EXPECT_EQ(row_range(first, untouched), 1.0);
    EXPECT_EQ(column_range(second, untouched), 1.0);
  }
}

TEST(Equalize, TheEditedNetComputesTheSame) {
  TwoConvs convs;
  const SmallGraph& net = convs.between(Kind::relu).finish();
  const Plan plan = equalized(net).plan;
  ASSERT_EQ(plan.input_edits.size(), 3U);
  for (const std::vector<double>& x : {std::vector<double>{1, 2}, {-3, 0.5}, {0.125, -7}}) {
    const std::vector<double> before = computed(net, {}, x);
    const std::vector<double> after = computed(net, plan, x);
    for (std::size_t o = 0; o < before.size(); ++o) {
      EXPECT_NEAR(after[o], before[o], 1e-5 * (1 + std::abs(before[o])));
    }
  }
}

TEST(Equalize, TheEffectsSayWhatRoundingGains) {
  TwoConvs convs;
  const SmallGraph& net = convs.between(Kind::relu).finish();
  const std::vector<AlgorithmEffect> effects = equalized(net).plan.effects;
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].op, (OpRef{.id = "c1", .name = "node_c1"}));
  EXPECT_EQ(effects[0].algorithm, AccuracyAlgorithm::cross_layer_equalization);
  EXPECT_GT(effects[0].gain_db, 10) << "the other channels had a 64th of the codes";
  EXPECT_LT(effects[0].gain_db, 40);
  const auto by_channel = equalize(Planned(net.model()).analyzed,
                                   recipe(AskedEqualization::true_, Granularity::per_channel));
  EXPECT_NEAR(by_channel.plan.effects[0].gain_db, 0, 0.1)
      << "each channel has its own codes anyway";
}

TEST(Equalize, AFactorIsNeverMoreThanItTakes) {
  TwoConvs convs;
  SmallGraph& net = convs.between(Kind::relu).finish();
  net.weight("w2", {2, 5, 1, 1}, {1, 0.5F, -1, 0, 1, -0.5F, 1, 0.5F, 0, 1});  // nobody cares for 3
  const Equalization made = equalized(net);
  EXPECT_NEAR(row_range(read(net, made.plan, {"c1", 1}), 3), kOutlier, 1e-5);
}

TEST(Equalize, AReaderThatIsWideThereAlreadyTakesNoMore) {
  TwoConvs convs;
  SmallGraph& net = convs.between(Kind::relu).finish();
  net.weight("w2", {2, 5, 1, 1}, {1, 0.5F, -1, 200, 1, -0.5F, 1, 0.5F, 0, 1});
  const Equalization made = equalized(net);
  EXPECT_TRUE(made.plan.effects.empty());
  EXPECT_EQ(made.pairs, 1U);
}

TEST(Equalize, WhatScalesWithItsInputMayStandBetween) {
  const auto pairs = [](Kind kind, std::vector<std::string> more = {}) {
    TwoConvs convs;
    return equalized(convs.between(kind, std::move(more)).finish()).plan.effects.size();
  };
  for (const Kind kind : {Kind::relu, Kind::leaky_relu, Kind::identity, Kind::max_pool,
                          Kind::average_pool, Kind::global_average_pool}) {
    EXPECT_EQ(pairs(kind), 2U) << to_string(kind);
  }
  EXPECT_EQ(pairs(Kind::prelu, {"zero"}), 2U);
  EXPECT_EQ(pairs(Kind::clip, {"zero"}), 2U) << "a Relu in other words";
  for (const Kind kind : {Kind::sigmoid, Kind::hard_swish, Kind::erf, Kind::softmax, Kind::reshape,
                          Kind::transpose, Kind::layer_norm}) {
    EXPECT_EQ(pairs(kind), 0U) << to_string(kind);
  }
  EXPECT_EQ(pairs(Kind::add, {"six"}), 0U);
}

TEST(Equalize, ReluSixIsAnApproximation) {
  TwoConvs convs;
  const SmallGraph& net = convs.between(Kind::clip, {"zero", "six"}).finish();
  const Equalization exact = equalized(net);
  EXPECT_TRUE(exact.plan.effects.empty());
  EXPECT_EQ(exact.inexact, 1U);
  EXPECT_EQ(exact.pairs, 0U);
  const Equalization near = equalized(net, AskedEqualization::approximate);
  EXPECT_EQ(near.plan.effects.size(), 2U);
  EXPECT_FALSE(near.is_exact);
}

TEST(Equalize, WhatNeedsNoApproximationIsExactWhereOneIsAllowed) {
  TwoConvs convs;
  EXPECT_TRUE(
      equalized(convs.between(Kind::relu).finish(), AskedEqualization::approximate).is_exact);
}

TEST(Equalize, AClipThatZeroDoesNotPassIsLeftOut) {
  TwoConvs convs;
  convs.net().weight("one", {}, {1});
  const Equalization made =
      equalized(convs.between(Kind::clip, {"one", "six"}).finish(), AskedEqualization::approximate);
  EXPECT_EQ(made.pairs + made.inexact, 0U);
}

TEST(Equalize, AllReadersShareTheChannels) {
  TwoConvs convs;
  SmallGraph& net = convs.between(Kind::relu).finish();
  net.weight("w3", {1, 5, 1, 1}, {1, 1, 1, 1, 1});
  net.node(Kind::conv, {convs.last(), "w3"}, "z").output("z");
  const Plan plan = equalized(net).plan;
  ASSERT_EQ(plan.effects.size(), 3U);
  const double s = 64 / row_range(read(net, plan, {"c1", 1}), 3);
  EXPECT_NEAR(s, 8, 1e-4) << "the wider reader decides";
  EXPECT_NEAR(column_range(read(net, plan, {"y", 1}), 3), 0.25 * s, 1e-5);
  EXPECT_NEAR(column_range(read(net, plan, {"z", 1}), 3), s, 1e-5);
}

TEST(Equalize, AValueThatAnythingElseReadsIsLeftOut) {
  TwoConvs other_reader;
  SmallGraph& read_twice = other_reader.between(Kind::relu).finish();
  read_twice.node(Kind::sigmoid, {other_reader.last()}, "s").output("s");
  EXPECT_EQ(equalized(read_twice).pairs, 0U);

  TwoConvs output;
  output.between(Kind::relu).finish().output(output.last());
  EXPECT_EQ(equalized(output.net()).pairs, 0U);

  TwoConvs residual;
  residual.between(Kind::relu)
      .finish()
      .node(Kind::add, {"y", residual.last()}, "sum")
      .output("sum");
  EXPECT_EQ(equalized(residual.net()).pairs, 0U);
}

TEST(Equalize, WeightsThatAreNotTheOpsOwnAreLeftOut) {
  TwoConvs shared;
  SmallGraph& net = shared.between(Kind::relu).finish();
  net.node(Kind::conv, {"x", "w1", "b1"}, "again").output("again");
  EXPECT_EQ(equalized(net).pairs, 0U);
}

TEST(Equalize, NumbersThatAreNotFiniteAreLeftOut) {
  for (const char* name : {"w1", "w2"}) {
    TwoConvs convs;
    SmallGraph& net = convs.between(Kind::relu).finish();
    const Tensor before = net.graph().weights.at(name);
    std::vector<float> values(before.data<float>().begin(), before.data<float>().end());
    values[0] = kInfinity;
    net.weight(name, before.shape(), std::move(values));
    EXPECT_EQ(equalized(net).pairs, 0U) << name;
  }
  TwoConvs bias;
  SmallGraph& net = bias.between(Kind::relu).finish();
  net.weight("b1", {5}, {0, 0, 0, kInfinity, 0});
  EXPECT_TRUE(equalized(net).plan.input_edits.empty());
  EXPECT_TRUE(equalized(net).plan.weights.empty());
}

TEST(Equalize, WeightsOfZerosStayAsTheyAre) {
  for (const char* name : {"w1", "w2"}) {
    TwoConvs convs;
    SmallGraph& net = convs.between(Kind::relu).finish();
    net.weight(name, net.graph().weights.at(name).shape(), std::vector<float>(10, 0.0F));
    const Equalization made = equalized(net);
    EXPECT_EQ(made.pairs, 1U);
    EXPECT_TRUE(made.plan.input_edits.empty()) << name;
  }
}

TEST(Equalize, WeightsAndBiasesThatAreComputedAreLeftOut) {
  SmallGraph net;
  net.input("x").input("b").weight("w1", {2, 1, 1, 1}, {1, 64}).weight("w2", {1, 2, 1, 1}, {1, 1});
  net.node(Kind::conv, {"x", "w1", "b"}, "c").node(Kind::conv, {"c", "w2"}, "y").output("y");
  EXPECT_EQ(equalized(net).pairs, 0U);
}

TEST(Equalize, HalfPrecisionIsLeftOut) {
  SmallGraph net;
  net.input("x").weight("w2", {1, 2, 1, 1}, {1, 1});
  net.constant("w1", Tensor::from<std::uint8_t>({2, 1, 1, 1}, {1, 64}));
  net.node(Kind::conv, {"x", "w1"}, "c").node(Kind::conv, {"c", "w2"}, "y").output("y");
  EXPECT_EQ(equalized(net).pairs, 0U);
}

TEST(Equalize, ADepthwiseConvReadsEachChannelWithOneOfItsOwn) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {4, 1, 1, 1}, {1, 1, 64, 1})
      .weight("w2", {4, 1, 1, 2}, {1, 1, 0.5F, 1, 0.25F, -0.1F, 1, 1})
      .node(Kind::conv, {"x", "w1"}, "c")
      .node(Kind::relu, {"c"}, "r")
      .node(Kind::conv, {"r", "w2"}, "y")
      .set(&roles::Convolution::groups, 4)
      .output("y");
  const Plan plan = equalized(net).plan;
  EXPECT_NEAR(row_range(read(net, plan, {"c", 1}), 2), 4, 1e-5);
  EXPECT_NEAR(row_range(read(net, plan, {"y", 1}), 2), 4, 1e-5);
  EXPECT_EQ(row_range(read(net, plan, {"y", 1}), 1), 1);
}

TEST(Equalize, AGroupedConvReadsChannelsOfItsGroup) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {4, 1, 1, 1}, {1, 1, 1, 64})
      .weight("w2", {2, 2, 1, 1}, {1, 1, 1, 0.25F})
      .node(Kind::conv, {"x", "w1"}, "c")
      .node(Kind::conv, {"c", "w2"}, "y")
      .set(&roles::Convolution::groups, 2)
      .output("y");
  const Plan plan = equalized(net).plan;
  const auto w2 = read(net, plan, {"y", 1}).data<float>();
  EXPECT_THAT(w2, testing::ElementsAre(1, 1, 1, testing::FloatNear(4, 1e-5F)));
}

TEST(Equalize, ABatchNormIsScaledInPlaceOfItsConv) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {3, 1, 1, 1}, {1, 1, 1})
      .weight("scale", {3}, {1, 64, 1})
      .weight("shift", {3}, {0.5F, 16, 2})
      .weight("mean", {3}, {0, 0, 0})
      .weight("variance", {3}, {1, 1, 1})
      .weight("w2", {1, 3, 1, 1}, {1, 0.25F, 1})
      .node(Kind::conv, {"x", "w1"}, "c")
      .node(Kind::batch_norm, {"c", "scale", "shift", "mean", "variance"}, "n")
      .set(&roles::Normalization::epsilon, 0.0F)
      .node(Kind::relu, {"n"}, "r")
      .node(Kind::conv, {"r", "w2"}, "y")
      .output("y");
  const Plan plan = equalized(net).plan;
  EXPECT_TRUE(plan.folds.empty()) << "ops keep their ids";
  EXPECT_THAT(read(net, plan, {"n", 1}).data<float>(),
              testing::ElementsAre(1, testing::FloatNear(4, 1e-5F), 1));
  EXPECT_THAT(read(net, plan, {"n", 2}).data<float>(),
              testing::ElementsAre(0.5F, testing::FloatNear(1, 1e-5F), 2));
  EXPECT_THAT(read(net, plan, {"y", 1}).data<float>(),
              testing::ElementsAre(1, testing::FloatNear(4, 1e-5F), 1));
  EXPECT_THAT(read(net, plan, {"c", 1}).data<float>(), testing::ElementsAre(1, 1, 1));
}

TEST(Equalize, MatMulsWithTheirBiasesAndGemmsTakePart) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {1, 3}, {1, 64, 1})
      .weight("b1", {3}, {1, 32, 1})
      .weight("w2", {2, 3}, {1, 0.25F, 1, 0.5F, 0.1F, 1})
      .node(Kind::matmul, {"x", "w1"}, "m")
      .node(Kind::add, {"b1", "m"}, "a")
      .node(Kind::relu, {"a"}, "r")
      .node(Kind::gemm, {"r", "w2"}, "y")
      .set(&roles::MatrixProduct::transposes_b, true)
      .output("y");
  const Plan plan = equalized(net).plan;
  EXPECT_NEAR(read(net, plan, {"m", 1}).data<float>()[1], 4, 1e-5);
  EXPECT_NEAR(read(net, plan, {"a", 0}).data<float>()[1], 2, 1e-5);
  EXPECT_NEAR(read(net, plan, {"y", 1}).data<float>()[1], 4, 1e-5);
  EXPECT_NEAR(read(net, plan, {"y", 1}).data<float>()[4], 1.6, 1e-5);
}

TEST(Equalize, ChannelsOfAConvAreNoColumnsOfAMatMul) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {3, 1, 1, 1}, {1, 64, 1})
      .weight("w2", {3, 1}, {1, 1, 1})
      .node(Kind::conv, {"x", "w1"}, "c")
      .node(Kind::matmul, {"c", "w2"}, "y")
      .output("y");
  EXPECT_EQ(equalized(net).pairs, 0U);
}

TEST(Equalize, AChainSettles) {
  SmallGraph net;
  net.input("x")
      .weight("w1", {5, 1, 1, 1}, {1, 1, 1, 1, 100})
      .weight("w2", {5, 5, 1, 1}, {1, 1,     1, 1, 0.01F, 1, 1,     1,  1, 0.01F, 1, 1,    1,
                                   1, 0.01F, 1, 1, 1,     1, 0.01F, 80, 1, 1,     1, 0.01F})
      .weight("w3", {1, 5, 1, 1}, {1, 1, 1, 1, 1})
      .node(Kind::conv, {"x", "w1"}, "a")
      .node(Kind::relu, {"a"}, "ra")
      .node(Kind::conv, {"ra", "w2"}, "b")
      .node(Kind::relu, {"b"}, "rb")
      .node(Kind::conv, {"rb", "w3"}, "y")
      .output("y");
  const Plan plan = equalized(net).plan;
  EXPECT_NEAR(row_range(read(net, plan, {"a", 1}), 4), 4, 0.01);
  EXPECT_NEAR(row_range(read(net, plan, {"b", 1}), 4), std::sqrt(80), 0.1);
  EXPECT_NEAR(column_range(read(net, plan, {"y", 1}), 4), std::sqrt(80), 0.1);
}

TEST(Equalize, IsWantedWhereARecipeAsksForIt) {
  EXPECT_FALSE(wants_equalization(Recipe()));
  EXPECT_TRUE(wants_equalization(recipe(AskedEqualization::approximate)));
}

}  // namespace
}  // namespace quantlens
