// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr std::int64_t kOut = 4, kIn = 8;
const std::vector<float> kFactors = {0.4F, 1.7F, 0.9F, 2.5F}, kShifts = {1, -2, 0.5F, 3};

/// A product, a factor and a summand for each of its channels, a Relu.
SmallGraph float_net(Kind kind) {
  SmallGraph net;
  const bool is_conv = kind == Kind::conv;
  const Shape figures = is_conv ? Shape{kOut, 1, 1} : Shape{kOut};
  net.input("x").weight("w", is_conv ? Shape{kOut, kIn, 1, 1} : Shape{kIn, kOut}, numbers(32, 1));
  net.weight("f", figures, kFactors).weight("s", figures, kShifts);
  net.node(kind, {"x", "w"}, "c").node(Kind::mul, {"c", "f"}, "m").node(Kind::add, {"m", "s"}, "a");
  net.node(Kind::relu, {"a"}, "r").node(Kind::softmax, {"r"}, "y").output("y");
  return net;
}

std::vector<float> times_factors(Kind kind, std::size_t links) {
  std::vector<float> weight = numbers(32, 1);
  for (std::size_t i = 0; i < weight.size() && links > 0; ++i)
    weight[i] *= kFactors[kind == Kind::conv ? i / kIn : i % kOut];
  return weight;
}

/// The same by names that say nothing, with so many of these links in the weight and the bias of
/// an op on codes, and floats behind it.
SmallGraph integer_net(Kind kind, std::size_t links) {
  SmallGraph net;
  const bool is_conv = kind == Kind::conv;
  constexpr float kStep = 0.05F, kWeightStep = 0.03F;
  std::vector<std::int8_t> codes;
  for (const float value : times_factors(kind, links))
    codes.push_back(static_cast<std::int8_t>(quantize(value, {kWeightStep, 0}, DType::int8)));
  net.input("0").weight("step", {}, {kStep}).weight("ws", {}, {kWeightStep});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {128}));
  net.constant("low",
               Tensor::from<std::uint8_t>({}, {links == 2 ? std::uint8_t{0} : std::uint8_t{128}}));
  net.constant("wz", Tensor::from<std::int8_t>({}, {0}));
  net.constant(
      "wq", Tensor::from<std::int8_t>(is_conv ? Shape{kOut, kIn, 1, 1} : Shape{kIn, kOut}, codes));
  const Shape figures = is_conv ? Shape{kOut, 1, 1} : Shape{kOut};
  net.weight("1", figures, kFactors).weight("2", figures, kShifts);
  net.node(Kind::quantize, {"0", "step", "zero"}, "3");
  std::vector<std::string> inputs{"3", "step", "zero", "wq", "ws", "wz"};
  if (is_conv) inputs.insert(inputs.end(), {"step", "low"});
  if (links == 2) {
    std::vector<std::int32_t> bias;
    for (const float shift : kShifts)
      bias.push_back(static_cast<std::int32_t>(std::lround(shift / (kStep * kWeightStep))));
    net.constant("b", Tensor::from<std::int32_t>({kOut}, bias));
    inputs.emplace_back("b");
  } else if (!is_conv) {
    inputs.emplace_back();
  }
  if (!is_conv) inputs.insert(inputs.end(), {"step", "low"});
  net.node(is_conv ? Kind::qconv : Kind::qgemm, inputs, "codes");
  net.node(Kind::dequantize, {"codes", "step", "low"}, "4");
  std::string end = "4";
  if (links < 1) net.node(Kind::mul, {std::exchange(end, "5"), "1"}, "5");
  if (links < 2) net.node(Kind::add, {std::exchange(end, "6"), "2"}, "6");
  if (links < 2) net.node(Kind::relu, {std::exchange(end, "7")}, "7");
  net.node(Kind::softmax, {end}, "8").output("8");
  return net;
}

TEST(MatchTails, WeightAndBiasTellHowMuchOfAChainIsFolded) {
  for (const Kind kind : {Kind::conv, Kind::matmul}) {
    for (std::size_t links = 0; links <= 2; ++links) {
      const Pairing pairing = pair(float_net(kind).model(), integer_net(kind, links).model());
      const auto found = std::ranges::find(pairing.pairs, "codes", &ValuePair::quantized);
      ASSERT_NE(found, pairing.pairs.end()) << links;
      EXPECT_EQ(found->reference, std::vector<std::string>({"c", "m", "r"})[links]);
      EXPECT_TRUE(found->confirmed);
      EXPECT_TRUE(pairing.only_quantized.empty());
      EXPECT_TRUE(pairing.not_compared.empty());
      ASSERT_EQ(pairing.folded_ops.size(), links);
      ASSERT_EQ(pairing.weights.size(), 1U);
      EXPECT_EQ(pairing.weights[0].folded, links > 0);
      EXPECT_TRUE(pairing.changes.empty());
    }
  }
}

/// A product and an op that adds, whose constants have the factors behind it.
TEST(MatchTails, WhatAddsBehindAMatMulMayHoldWhatIsBehindIt) {
  SmallGraph reference;
  reference.input("x").weight("w", {kIn, kOut}, numbers(32, 1)).weight("s", {kOut}, kShifts);
  reference.weight("f", {kOut}, kFactors).node(Kind::matmul, {"x", "w"}, "c");
  reference.node(Kind::add, {"c", "s"}, "a").node(Kind::mul, {"a", "f"}, "m");
  reference.node(Kind::softmax, {"m"}, "y").output("y");
  SmallGraph quantized;
  std::vector<std::int8_t> codes;
  for (const float value : times_factors(Kind::matmul, 1))
    codes.push_back(static_cast<std::int8_t>(quantize(value, {0.03F, 0}, DType::int8)));
  std::vector<float> shifts = kShifts;
  for (std::size_t c = 0; c < shifts.size(); ++c) shifts[c] *= kFactors[c];
  quantized.input("0").weight("ws", {}, {0.03F}).weight("1", {kOut}, shifts);
  quantized.constant("wq", Tensor::from<std::int8_t>({kIn, kOut}, codes));
  quantized.constant("zero", Tensor::from<std::uint8_t>({}, {128}));
  quantized.node(Kind::dequantize, {"wq", "ws"}, "2").node(Kind::matmul, {"0", "2"}, "3");
  quantized.node(Kind::add, {"3", "1"}, "4").node(Kind::quantize, {"4", "ws", "zero"}, "codes");
  quantized.node(Kind::dequantize, {"codes", "ws", "zero"}, "5");
  quantized.node(Kind::softmax, {"5"}, "6").output("6");
  const Pairing pairing = pair(reference.model(), quantized.model());
  const auto found = std::ranges::find(pairing.pairs, "codes", &ValuePair::quantized);
  ASSERT_NE(found, pairing.pairs.end());
  EXPECT_EQ(found->reference, "m");
  EXPECT_EQ(pairing.folded_ops, std::vector<std::string>{"m"});
  EXPECT_TRUE(pairing.changes.empty());
}

/// x -> Gemm with a bias, or MatMul -> Mul by factors of each channel or one Div -> Exp.
SmallGraph scaled_product(bool has_bias, bool by_channel) {
  SmallGraph net;
  net.input("x").weight("w", {kIn, kOut}, numbers(32, 1)).weight("s", {kOut}, kShifts);
  net.weight("f", {kOut}, kFactors).weight("four", {}, {4});
  if (has_bias) net.node(Kind::gemm, {"x", "w", "s"}, "c");
  if (!has_bias) net.node(Kind::matmul, {"x", "w"}, "c");
  net.node(by_channel ? Kind::mul : Kind::div, {"c", by_channel ? "f" : "four"}, "m");
  return net.node(Kind::exp, {"m"}, "y").output("y");
}

/// The same with the factors in a weight of codes and in the bias, its input scaled anew each time.
Model dynamic_product(bool has_bias, bool by_channel) {
  SmallGraph net;
  std::vector<float> weight = numbers(32, 1), shifts = kShifts;
  std::vector<std::int8_t> codes;
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    const float factor = by_channel ? kFactors[c] : 0.25F;
    shifts[c] *= factor;
    for (std::size_t i = c; i < weight.size(); i += kOut) weight[i] *= factor;
  }
  for (const float value : weight)
    codes.push_back(static_cast<std::int8_t>(quantize(value, {0.03F, 0}, DType::int8)));
  net.input("0").weight("ws", {}, {0.03F}).weight("b", {kOut}, shifts);
  net.constant("wq", Tensor::from<std::int8_t>({kIn, kOut}, codes));
  net.node(Kind::dynamic_quantize, {"0"}, "q").node(Kind::mul, {"scale", "ws"}, "scales");
  net.node(Kind::matmul_integer, {"q", "wq", "zero"}, "sums").node(Kind::cast, {"sums"}, "floats");
  net.set(&roles::Conversion::to, DType::float32).node(Kind::mul, {"floats", "scales"}, "1");
  if (has_bias) net.node(Kind::add, {"1", "b"}, "2");
  net.node(Kind::exp, {has_bias ? "2" : "1"}, "3").output("3");
  Model model = net.model();
  model.graph.nodes[0].outputs = {"q", "scale", "zero"};
  return model;
}

TEST(MatchTails, FactorsThatADynamicFileFoldsAreFoldedToo) {
  for (const bool has_bias : {true, false}) {
    for (const bool by_channel : {true, false}) {
      const std::string which = std::to_string(has_bias) + std::to_string(by_channel);
      const Pairing pairing =
          pair(scaled_product(has_bias, by_channel).model(), dynamic_product(has_bias, by_channel));
      EXPECT_EQ(pairing.folded_ops, std::vector<std::string>{"m"}) << which;
      EXPECT_TRUE(pairing.changes.empty()) << which;
      ASSERT_EQ(pairing.weights.size(), 1U) << which;
      EXPECT_TRUE(pairing.weights[0].folded) << which;
    }
  }
}

}  // namespace
}  // namespace quantlens
