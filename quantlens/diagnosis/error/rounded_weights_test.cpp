// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/rounded_weights.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// y = conv(x) with two channels of one weight each, 1 and 2, whose codes mean 0.75 and 2.25.
SmallGraph conv_net(DType dtype = DType::float32) {
  SmallGraph net;
  net.input("x").node(Kind::conv, {"x", "w"}, "y").output("y");
  if (dtype == DType::float32) return net.weight("w", {2, 1, 1, 1}, {1, 2});
  return net.constant("w", Tensor::from<double>({2, 1, 1, 1}, {1, 2}));
}

SmallGraph codes() {
  SmallGraph net;
  net.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {3, 9}));
  return net;
}

Pairing pairing_of(const std::string& value) {
  Pairing pairing;
  ValuePair pair{.op = {.id = "y", .name = "conv"}, .type = "Conv", .reference = value};
  pair.quantized = value + "_q";
  pair.scheme = Scheme{.dtype = DType::uint8};
  pair.params = QParams{1, 0};
  pairing.pairs = {pair};
  WeightPair weight{.op = {.id = "y", .name = "conv"}, .reference = "w", .quantized = "w_q"};
  weight.scheme = {.dtype = DType::int8, .symmetric = true, .axis = 0};
  weight.params = {QParams{0.25F, 0}, QParams{0.25F, 0}};
  pairing.weights = {weight};
  return pairing;
}

std::vector<float> values(const Tensor& tensor) {
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

TEST(RoundedWeights, ReadWhatTheCodesMean) {
  const auto rounded =
      rounded_weights(OwnModels(conv_net().model(), codes().model(), pairing_of("y")));
  ASSERT_TRUE(rounded);
  ASSERT_EQ(rounded->plan.input_edits.size(), 1U);
  const InputEdit& edit = rounded->plan.input_edits.front();
  EXPECT_EQ(edit.use, (ValueUse{.op = "y", .input = 1}));
  EXPECT_EQ(edit.original, "w");
  EXPECT_THAT(values(rounded->plan.weights.at(edit.weight)), ElementsAre(0.75F, 2.25F));
}

TEST(RoundedWeights, EachOpIsComparedWithItself) {
  const auto rounded =
      rounded_weights(OwnModels(conv_net().model(), codes().model(), pairing_of("y")));
  ASSERT_TRUE(rounded);
  EXPECT_TRUE(rounded->taps.local);
  ASSERT_EQ(rounded->taps.pairs.size(), 1U);
  const PairTap& tap = rounded->taps.pairs.front();
  EXPECT_EQ(tap.reference, "y");
  EXPECT_EQ(tap.quantized, "y");
  EXPECT_FALSE(tap.scheme || tap.params || tap.histogram) << "both sides are float";
}

TEST(RoundedWeights, TakeThePlaceOfFoldedOnes) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).weight("one", {2}, {1, 1});
  net.weight("zero", {2}, {0, 0}).node(Kind::conv, {"x", "w"}, "y");
  net.node(Kind::batch_norm, {"y", "one", "zero", "zero", "one"}, "n").output("n");
  Pairing pairing = pairing_of("n");
  pairing.weights.front().folded = true;
  pairing.folded_ops = {"n"};
  const auto rounded = rounded_weights(OwnModels(net.model(), codes().model(), pairing));
  ASSERT_TRUE(rounded);
  const Plan& plan = rounded->plan;
  ASSERT_EQ(plan.folds.size(), 1U);
  ASSERT_EQ(plan.input_edits.size(), 1U) << "nothing is added: there is no bias";
  const auto weight = std::ranges::find(plan.input_edits, ValueUse{"y", 1}, &InputEdit::use);
  ASSERT_NE(weight, plan.input_edits.end());
  EXPECT_THAT(values(plan.weights.at(weight->weight)), ElementsAre(0.75F, 2.25F));
}

TEST(RoundedWeights, ConstantsThatTheOtherFileDidNotFoldAreRoundedWhereTheyAre) {
  SmallGraph net, other;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).weight("f", {2, 1, 1}, {0.1F, 100});
  net.node(Kind::conv, {"x", "w"}, "y").node(Kind::mul, {"y", "f"}, "m").output("m");
  other.input("y_q").weight("step", {}, {1});
  other.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {3, 9}));
  other.constant("f_q", Tensor::from<std::int8_t>({2, 1, 1}, {0, 100}));
  other.node(Kind::dequantize, {"y_q", "step"}, "y_d");
  other.node(Kind::dequantize, {"f_q", "step"}, "f_d");
  other.node(Kind::mul, {"y_d", "f_d"}, "m_q").output("m_q");
  Pairing pairing = pairing_of("y");
  pairing.pairs.push_back(pairing.pairs.front());
  pairing.pairs.back().op.id = pairing.pairs.back().reference = "m";
  pairing.pairs.back().quantized = "m_q";
  const auto rounded = rounded_weights(OwnModels(net.model(), other.model(), pairing));
  ASSERT_TRUE(rounded);
  const Plan& plan = rounded->plan;
  EXPECT_TRUE(plan.folds.empty());
  const auto factor = std::ranges::find(plan.input_edits, ValueUse{"m", 1}, &InputEdit::use);
  ASSERT_NE(factor, plan.input_edits.end());
  EXPECT_THAT(values(plan.weights.at(factor->weight)), ElementsAre(0, 100));
  const auto weight = std::ranges::find(plan.input_edits, ValueUse{"y", 1}, &InputEdit::use);
  ASSERT_NE(weight, plan.input_edits.end());
  EXPECT_THAT(values(plan.weights.at(weight->weight)), ElementsAre(0.75F, 2.25F));
}

TEST(RoundedWeights, AreOfOpsThatWereCompared) {
  Pairing pairing = pairing_of("y");
  pairing.pairs.clear();
  EXPECT_FALSE(rounded_weights(OwnModels(conv_net().model(), codes().model(), pairing)));
}

TEST(RoundedWeights, AreFloat32) {
  EXPECT_FALSE(rounded_weights(
      OwnModels(conv_net(DType::float64).model(), codes().model(), pairing_of("y"))));
}

}  // namespace
}  // namespace quantlens
