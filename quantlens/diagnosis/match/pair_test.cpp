// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/pair.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

SmallGraph reference_net() {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2});
  net.node(Kind::conv, {"x", "w"}, "c")
      .node(Kind::relu, {"c"}, "r")
      .node(Kind::softmax, {"r"}, "y")
      .output("y");
  return net;
}

// The QDQ form of reference_net, as any tool writes it.
SmallGraph quantized_net() {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F}).weight("ws", {2}, {0.01F, 0.02F});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {3}));
  net.constant("wz", Tensor::from<std::int8_t>({2}, {0, 0}));
  net.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {100, 100}));
  net.node(Kind::quantize, {"x", "s", "zero"}, "x_q")
      .node(Kind::dequantize, {"x_q", "s", "zero"}, "x_dq");
  net.node(Kind::dequantize, {"w_q", "ws", "wz"}, "w_dq").set(&roles::Coding::axis, 0);
  net.node(Kind::conv, {"x_dq", "w_dq"}, "c").node(Kind::relu, {"c"}, "r");
  net.node(Kind::quantize, {"r", "s", "zero"}, "r_q")
      .node(Kind::dequantize, {"r_q", "s", "zero"}, "r_dq");
  net.node(Kind::softmax, {"r_dq"}, "y").output("y");
  return net;
}

TEST(Pair, FindsTheQuantizedSideOfEachValueByName) {
  const SmallGraph reference = reference_net();
  const SmallGraph quantized = quantized_net();
  const Pairing pairing = pair(reference.model(), quantized.model());
  ASSERT_EQ(pairing.pairs.size(), 3U);
  EXPECT_EQ(pairing.pairs[0].op.id, "x");
  EXPECT_EQ(pairing.pairs[0].type, "Input");
  EXPECT_EQ(pairing.pairs[1].op.name, "node_c") << "a row bears the name of its pattern's anchor";
  EXPECT_EQ(pairing.pairs[1].reference, "r");
  EXPECT_EQ(pairing.pairs[1].quantized, "r_q");
  EXPECT_EQ(pairing.pairs[1].side, Side::q_output);
  EXPECT_EQ(pairing.pairs[1].params, (QParams{.scale = 0.5F, .zero_point = 3}));
  EXPECT_EQ(pairing.pairs[2].side, Side::float_) << "graph outputs are compared as floats";
  EXPECT_EQ(pairing.pairs[0].precision, std::nullopt) << "an input is no op's";
  EXPECT_EQ(pairing.pairs[1].precision, Precision::int8);
  EXPECT_EQ(pairing.pairs[2].precision, Precision::fp32) << "nothing makes codes of its result";
  EXPECT_TRUE(pairing.only_reference.empty());
  EXPECT_TRUE(pairing.only_quantized.empty());
}

/// Floats that are made of codes inside one op are compared: no codes of their own tell their
/// error.
TEST(Pair, FloatsThatAreMadeOfCodesHaveARow) {
  SmallGraph reference;
  reference.input("x").input("i").weight("w", {1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  reference.weight("table", {2, 2}, {1, 2, 3, 4});
  reference.node(Kind::recurrent, {"x", "w", "w"}, "h").node(Kind::relu, {"h"}, "r");
  reference.node(Kind::gather, {"table", "i"}, "e").node(Kind::relu, {"e"}, "s");
  reference.node(Kind::add, {"r", "s"}, "y").output("y");
  SmallGraph quantized;
  quantized.input("x").input("i").constant(
      "w", Tensor::from<std::int8_t>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  quantized.weight("s8", {1}, {0.5F}).constant("z", Tensor::from<std::int8_t>({1}, {0}));
  quantized.constant("table", Tensor::from<std::uint8_t>({2, 1}, {18, 52}));
  quantized.node(Kind::recurrent, {"x", "w", "w", "", "", "", "", "", "s8", "z", "s8", "z"}, "h");
  quantized.node(Kind::relu, {"h"}, "r");
  quantized.node(Kind::gather_blocks, {"table", "i", "s8"}, "e").node(Kind::relu, {"e"}, "s");
  quantized.node(Kind::add, {"r", "s"}, "y").output("y");
  Model before = reference.model(), after = quantized.model();
  before.graph.nodes[0].type = "LSTM";
  before.graph.nodes[0].roles = roles::Recurrence{.cell = roles::Cell::lstm};
  after.graph.nodes[0].type = "DynamicQuantizeLSTM";
  after.graph.nodes[0].roles = roles::Recurrence{.cell = roles::Cell::lstm, .has_codes = true};
  std::vector<std::string> compared;
  for (const ValuePair& one : pair(before, after).pairs) {
    EXPECT_EQ(one.side, Side::float_);
    compared.push_back(one.reference);
  }
  EXPECT_THAT(compared, testing::ElementsAre("h", "e", "y"));
  compared.clear();
  for (const ValuePair& one : pair(before, before).pairs) compared.push_back(one.reference);
  EXPECT_THAT(compared, testing::ElementsAre("y")) << "what is float in both is not";
}

/// x -> an op c with a body, in which another one, d, has a body of two Relus -> Relu y.
Model with_bodies(bool is_output) {
  SmallGraph inner;
  inner.node(Kind::relu, {"x"}, "a").node(Kind::relu, {"a"}, "b");
  SmallGraph body;
  Graph branch = body.node(Kind::control_flow, {"x"}, "d").graph();
  branch.nodes[0].subgraphs["then_branch"] = std::make_shared<Graph>(inner.graph());
  SmallGraph outer;
  outer.input("x").node(Kind::control_flow, {"x"}, "c").node(Kind::relu, {"c"}, "y").output("y");
  if (is_output) outer.output("c");
  Model model = outer.model();
  model.graph.nodes[0].subgraphs["else_branch"] = std::make_shared<Graph>(branch);
  return model;
}

std::vector<std::string> not_compared_of(const Model& model) {
  std::vector<std::string> values;
  for (const NotCompared& one : pair(model, model).not_compared) values.push_back(one.value);
  return values;
}

TEST(Pair, ListsTheValuesThatBodiesHide) {
  const Model model = with_bodies(true);
  EXPECT_EQ(not_compared_of(model), (std::vector<std::string>{"c/d", "c/d/a", "c/d/b"}));
  EXPECT_EQ(pair(model, model).not_compared[1].reason,
            "it lies in a body of 'node_c': bodies stay float");
}

TEST(Pair, ListsWhatComesOutOfBodiesWhereItHasNoRow) {
  EXPECT_EQ(not_compared_of(with_bodies(false)),
            (std::vector<std::string>{"c/d", "c/d/a", "c/d/b", "c"}));
}

/// x, reshaped twice, once in codes with the scale of x, then read by a Softmax.
SmallGraph moved_net(bool quantized, float second_scale) {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F}).weight("t", {}, {second_scale});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {3}));
  if (quantized) {
    net.node(Kind::quantize, {"x", "s", "zero"}, "x_q")
        .node(Kind::dequantize, {"x_q", "s", "zero"}, "x_dq");
  }
  net.node(Kind::reshape, {quantized ? "x_dq" : "x", "shape"}, "m");
  if (quantized) {
    net.node(Kind::quantize, {"m", "t", "zero"}, "m_q")
        .node(Kind::dequantize, {"m_q", "t", "zero"}, "m_dq");
  }
  net.node(Kind::transpose, {quantized ? "m_dq" : "m"}, "y").output("y");
  return net;
}

TEST(Pair, GathersWhatIsOnlyMovedOnce) {
  const SmallGraph reference = moved_net(false, 0.5F);
  const Pairing pairing = pair(reference.model(), moved_net(true, 0.5F).model());
  ASSERT_EQ(pairing.pairs.size(), 3U);
  EXPECT_EQ(pairing.pairs[1].same_as, 0U);
  EXPECT_EQ(pairing.pairs[2].same_as, std::nullopt) << "a float side of what has codes before it";
  EXPECT_EQ(taps_for(pairing).pairs.size(), 2U);
  const Pairing other = pair(reference.model(), moved_net(true, 0.25F).model());
  EXPECT_EQ(other.pairs[1].same_as, std::nullopt) << "other codes";
}

TEST(Pair, SaysOfOutputsThatHoldNoFloatsThatTheyAreNotCompared) {
  SmallGraph net;
  net.input("x").node(Kind::other, {"x"}, "classes").output("classes");
  Model model = net.model();
  model.graph.outputs[0].dtype = DType::int64;
  const Pairing pairing = pair(model, model);
  EXPECT_TRUE(pairing.pairs.empty());
  ASSERT_EQ(pairing.not_compared.size(), 1U);
  EXPECT_EQ(pairing.not_compared[0].value, "classes");
  EXPECT_THAT(pairing.not_compared[0].reason, testing::HasSubstr("int64"));
}

// reference_net with a MaxPool, in integer ops.
SmallGraph integer_net() {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F}).weight("t", {}, {0.25F}).weight("ws", {2}, {0.01F, 0.02F});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {0}));
  net.constant("wz", Tensor::from<std::int8_t>({2}, {0, 0}));
  net.constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {100, 100}));
  net.node(Kind::quantize, {"x", "s", "zero"}, "x_q");
  net.node(Kind::qconv, {"x_q", "s", "zero", "w_q", "ws", "wz", "t", "zero"}, "c_q")
      .node(Kind::max_pool, {"c_q"}, "p_q")
      .node(Kind::dequantize, {"p_q", "t", "zero"}, "p")
      .node(Kind::softmax, {"p"}, "y")
      .output("y");
  return net;
}

TEST(Pair, TakesTheCodesOfAnIntegerOpWithTheScaleThatItDeclares) {
  SmallGraph reference;
  reference.input("x").weight("w", {2, 1, 1, 1}, {1, 2});
  reference.node(Kind::conv, {"x", "w"}, "c")
      .node(Kind::relu, {"c"}, "r")
      .node(Kind::max_pool, {"r"}, "p")
      .node(Kind::softmax, {"p"}, "y")
      .output("y");
  const Pairing pairing = pair(reference.model(), integer_net().model());
  ASSERT_EQ(pairing.pairs.size(), 4U);
  const ValuePair& conv = pairing.pairs[1];
  EXPECT_EQ(conv.reference, "r") << "a Conv that saturates stands for the Relu behind it";
  EXPECT_EQ(conv.quantized, "c_q");
  EXPECT_EQ(conv.side, Side::integer_output);
  EXPECT_EQ(conv.params, (QParams{.scale = 0.25F, .zero_point = 0}));
  EXPECT_EQ(conv.pattern, (std::vector<std::string>{"conv", "relu"}));
  EXPECT_EQ(conv.found_by, FoundBy::structure);
  EXPECT_TRUE(conv.confirmed);
  EXPECT_EQ(pairing.pairs[2].reference, "p");
  EXPECT_EQ(pairing.pairs[2].quantized, "p_q");
  EXPECT_EQ(pairing.pairs[2].params, conv.params) << "MaxPool moves codes";
  EXPECT_EQ(pairing.only_reference, std::vector<std::string>{"c"}) << "inside the Conv";
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].quantized, "w_q");
  EXPECT_EQ(pairing.weights[0].scheme.axis, 0);
  EXPECT_TRUE(pairing.weights[0].scheme.symmetric);
}

TEST(Pair, KnowsWeightsThatKeepToSevenBits) {
  const auto bits_of = [](std::int8_t code) {
    Model quantized = quantized_net().model();
    quantized.graph.weights["w_q"] = Tensor::from<std::int8_t>({2, 1, 1, 1}, {code, code});
    quantized.graph.weights["ws"] = Tensor::from<float>({2}, {1.0F / code, 2.0F / code});
    return pair(reference_net().model(), quantized).weights.at(0).scheme.bits;
  };
  EXPECT_EQ(bits_of(127), 8);
  EXPECT_EQ(bits_of(64), 8);
  EXPECT_EQ(bits_of(63), 7);
  EXPECT_EQ(bits_of(-64), 7);
  EXPECT_EQ(bits_of(31), 8) << "no one reduces codes to so few";
}

/// A product, its bias, and perhaps a Relu.
SmallGraph product_net(bool with_relu) {
  SmallGraph net;
  net.input("x").weight("w", {8, 4}, numbers(32, 1)).weight("b", {4}, {1, 2, 3, 4});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::add, {"m", "b"}, "a");
  if (with_relu) net.node(Kind::relu, {"a"}, "r");
  net.node(Kind::softmax, {with_relu ? "r" : "a"}, "y").output("y");
  return net;
}

/// What ops on codes need to compute product_net: `w_q` has a scale for each column.
SmallGraph product_codes() {
  SmallGraph net;
  net.input("0").weight("s", {}, {0.5F}).weight("t", {}, {0.25F}).weight("bias", {4}, {1, 2, 3, 4});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {3}));
  const std::vector<float> scales = {0.02F, 0.03F, 0.04F, 0.05F}, values = numbers(32, 1);
  std::vector<std::int8_t> codes;
  for (std::size_t i = 0; i < values.size(); ++i)
    codes.push_back(static_cast<std::int8_t>(quantize(values[i], {scales[i % 4], 0}, DType::int8)));
  net.weight("ws", {4}, scales).constant("wz", Tensor::from<std::int8_t>({4}, {0, 0, 0, 0}));
  net.constant("w_q", Tensor::from<std::int8_t>({8, 4}, codes));
  return net;
}

void expect_column_weight(const Pairing& pairing) {
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].reference, "w");
  EXPECT_EQ(pairing.weights[0].quantized, "w_q");
  EXPECT_EQ(pairing.weights[0].scheme.axis, 1);
  EXPECT_FALSE(pairing.weights[0].transposed);
  ASSERT_EQ(pairing.weights[0].params.size(), 4U);
  EXPECT_EQ(pairing.weights[0].params[2].scale, 0.04F);
  for (const ValuePair& each : pairing.pairs) EXPECT_TRUE(each.confirmed) << each.reference;
}

TEST(Pair, ComparesWhatAProductOfCodesGivesAsFloats) {
  const std::vector<std::string> inputs = {"1", "w_q", "s", "ws", "zero", "wz"};
  SmallGraph with_bias = product_codes(), without = product_codes();
  for (SmallGraph* net : {&with_bias, &without}) net->node(Kind::quantize, {"0", "s", "zero"}, "1");
  std::vector<std::string> all = inputs;
  all.emplace_back("bias");
  with_bias.node(Kind::matmul_integer_to_float, all, "2");
  without.node(Kind::matmul_integer_to_float, inputs, "part")
      .node(Kind::add, {"part", "bias"}, "2");
  for (SmallGraph* net : {&with_bias, &without}) {
    net->node(Kind::softmax, {"2"}, "3").output("3");
    const Pairing pairing = pair(product_net(false).model(), net->model());
    ASSERT_EQ(pairing.pairs.size(), 3U);
    EXPECT_EQ(pairing.pairs[0].quantized, "1");
    EXPECT_EQ(pairing.pairs[1].reference, "a") << "the bias is inside";
    EXPECT_EQ(pairing.pairs[1].quantized, "2");
    EXPECT_EQ(pairing.pairs[1].side, Side::float_);
    EXPECT_EQ(pairing.pairs[1].found_by, FoundBy::structure);
    EXPECT_EQ(pairing.pairs[2].quantized, "3");
    expect_column_weight(pairing);
  }
}

TEST(Pair, ComparesWhatFloatsTimesCodesGive) {
  SmallGraph quantized = product_codes();
  quantized.node(Kind::dynamic_quantize_matmul, {"0", "w_q", "ws", "wz", "bias"}, "2")
      .node(Kind::softmax, {"2"}, "3")
      .output("3");
  const Pairing pairing = pair(product_net(false).model(), quantized.model());
  ASSERT_EQ(pairing.pairs.size(), 2U);
  EXPECT_EQ(pairing.pairs[0].reference, "a");
  EXPECT_EQ(pairing.pairs[0].quantized, "2");
  EXPECT_EQ(pairing.pairs[0].side, Side::float_);
  expect_column_weight(pairing);
}

TEST(Pair, TakesAnIntegerGemmForAProductItsBiasAndTheRelu) {
  SmallGraph quantized = product_codes();
  quantized.constant("bias_q", Tensor::from<std::int32_t>({4}, {100, 133, 150, 160}));
  quantized.node(Kind::quantize, {"0", "s", "zero"}, "1")
      .node(Kind::qgemm, {"1", "s", "zero", "w_q", "ws", "wz", "bias_q", "t", "zero"}, "2")
      .node(Kind::dequantize, {"2", "t", "zero"}, "3")
      .node(Kind::softmax, {"3"}, "4")
      .output("4");
  const Pairing pairing = pair(product_net(true).model(), quantized.model());
  ASSERT_EQ(pairing.pairs.size(), 3U);
  EXPECT_EQ(pairing.pairs[1].reference, "r");
  EXPECT_EQ(pairing.pairs[1].quantized, "2");
  EXPECT_EQ(pairing.pairs[1].side, Side::integer_output);
  EXPECT_EQ(pairing.pairs[1].params, (QParams{.scale = 0.25F, .zero_point = 3}));
  EXPECT_EQ(pairing.only_reference, (std::vector<std::string>{"m", "a"})) << "inside the Gemm";
  expect_column_weight(pairing);
  const Pairing plain = pair(product_net(false).model(), quantized.model());
  ASSERT_EQ(plain.pairs.size(), 3U);
  EXPECT_EQ(plain.pairs[1].reference, "a") << "of a reference without Relu";
}

TEST(Pair, ComparesNoShapesThatDiffer) {
  Model reference = reference_net().model(), quantized = quantized_net().model();
  const auto shape = [](std::int64_t first, std::int64_t second) {
    return std::vector<Dim>{{first, ""}, {std::nullopt, "N"}, {second, ""}};
  };
  reference.graph.values["r"] = {.name = "r", .dtype = DType::float32, .shape = shape(1, 8)};
  quantized.graph.values["r"] = {.name = "r", .dtype = DType::float32, .shape = shape(1, 9)};
  const Pairing pairing = pair(reference, quantized);
  for (const ValuePair& found : pairing.pairs) EXPECT_NE(found.reference, "r");
  ASSERT_EQ(pairing.not_compared.size(), 1U);
  EXPECT_EQ(pairing.not_compared[0].value, "r");
  EXPECT_THAT(pairing.not_compared[0].reason, testing::HasSubstr("[1,N,8]"));
  EXPECT_THAT(pairing.not_compared[0].reason, testing::HasSubstr("[1,N,9]"));
}

TEST(Pair, ComparesCodesWithAScaleForEachChannel) {
  const SmallGraph reference = reference_net();
  Model quantized = quantized_net().model();
  quantized.graph.weights["s"] = Tensor::from<float>({2}, {0.5F, 0.25F});
  quantized.graph.weights["zero"] = Tensor::from<std::uint8_t>({2}, {3, 4});
  const Pairing pairing = pair(reference.model(), quantized);
  EXPECT_TRUE(pairing.not_compared.empty());
  const bool found = std::ranges::any_of(pairing.pairs, [](const ValuePair& one) {
    return one.channel_params == std::vector<QParams>{{0.5F, 3}, {0.25F, 4}};
  });
  EXPECT_TRUE(found);
}

TEST(Pair, SaysWhichCodesCannotBeCompared) {
  const SmallGraph reference = reference_net();
  Model quantized = quantized_net().model();
  quantized.graph.weights.erase("s");
  quantized.graph.inputs.push_back({.name = "s", .dtype = DType::float32, .shape = {}});
  const Pairing pairing = pair(reference.model(), quantized);
  ASSERT_FALSE(pairing.not_compared.empty());
  EXPECT_THAT(pairing.not_compared[0].reason, testing::HasSubstr("is not constant"));
  EXPECT_TRUE(pairing.only_quantized.empty()) << "they are listed once";
}

TEST(Pair, TakesWhatIsComputedFromConstantsForAWeight) {
  SmallGraph reference;
  reference.input("x").weight("half", {2, 1, 1, 1}, {0.5F, 1});
  reference.node(Kind::add, {"half", "half"}, "w")
      .node(Kind::conv, {"x", "w"}, "c")
      .node(Kind::relu, {"c"}, "r")
      .node(Kind::softmax, {"r"}, "y")
      .output("y");
  Model model = reference.model();
  model.graph.nodes[0].type = "Add";
  model.format = "onnx";
  const Pairing pairing = pair(model, quantized_net().model());
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].reference, "w");
  EXPECT_TRUE(pairing.only_reference.empty()) << "w is no activation";
}

TEST(Pair, LeavesOutWeightsWhoseScalesDoNotFit) {
  const SmallGraph reference = reference_net();
  Model quantized = quantized_net().model();
  quantized.graph.weights["ws"] = Tensor::from<float>({3}, {0.01F, 0.02F, 0.01F});
  quantized.graph.weights["wz"] = Tensor::from<std::int8_t>({3}, {0, 0, 0});
  const Pairing pairing = pair(reference.model(), quantized);
  EXPECT_TRUE(pairing.weights.empty());
  ASSERT_EQ(pairing.not_compared.size(), 1U);
  EXPECT_EQ(pairing.not_compared[0].value, "w");
}

TEST(Pair, FindsWeightsWithTheirScales) {
  const SmallGraph reference = reference_net();
  const SmallGraph quantized = quantized_net();
  const Pairing pairing = pair(reference.model(), quantized.model());
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].reference, "w");
  EXPECT_EQ(pairing.weights[0].quantized, "w_q");
  EXPECT_EQ(pairing.weights[0].scheme.axis, 0);
  EXPECT_EQ(pairing.weights[0].params.size(), 2U);
}

TEST(Pair, FindsWeightsBeyondRecognitionByTheNamesOfTheirOps) {
  SmallGraph reference;
  std::vector<float> weight(64);
  std::vector<std::int8_t> codes(64);
  for (std::size_t i = 0; i < 64; ++i) {
    weight[i] = static_cast<float>(i % 7) - 3;
    codes[i] = static_cast<std::int8_t>(i * 37 % 101);
  }
  reference.input("x").weight("w", {8, 8, 1, 1}, weight).node(Kind::conv, {"x", "w"}, "c");
  reference.node(Kind::relu, {"c"}, "r").node(Kind::softmax, {"r"}, "y").output("y");
  Model quantized = quantized_net().model();
  quantized.graph.weights["w_q"] = Tensor::from<std::int8_t>({8, 8, 1, 1}, codes);
  quantized.graph.weights["ws"] = Tensor::from<float>({8}, std::vector<float>(8, 0.01F));
  quantized.graph.weights["wz"] = Tensor::from<std::int8_t>({8}, std::vector<std::int8_t>(8));
  const Pairing pairing = pair(reference.model(), quantized);
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].quantized, "w_q");
  for (Node& node : quantized.graph.nodes) node.name = "other_" + node.name;
  EXPECT_TRUE(pair(reference.model(), quantized).weights.empty()) << "nothing speaks for it";
}

/// x -> Relu r -> `end` -> y, with codes of y at its end, or none.
SmallGraph ending_in(Kind end, bool has_codes) {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F});
  net.constant("zero", Tensor::from<std::uint8_t>({}, {3}));
  net.node(Kind::relu, {"x"}, "r");
  std::string last = "r";
  if (end != Kind::relu) net.node(end, {"r"}, last = has_codes ? "e" : "y");
  if (has_codes) {
    net.node(Kind::quantize, {last, "s", "zero"}, "y_q");
    net.node(Kind::dequantize, {"y_q", "s", "zero"}, "y");
  }
  return net.output("y");
}

TEST(Pair, ComparesOutputsOfOneNameWhateverMakesThem) {
  const Model reference = ending_in(Kind::tanh, false).model();
  const Pairing with_codes = pair(reference, ending_in(Kind::sigmoid, true).model());
  ASSERT_EQ(with_codes.pairs.size(), 1U);
  EXPECT_EQ(with_codes.pairs[0].reference, "y");
  EXPECT_EQ(with_codes.pairs[0].quantized, "y_q");
  EXPECT_EQ(with_codes.pairs[0].found_by, FoundBy::name);
  EXPECT_TRUE(with_codes.pairs[0].confirmed) << "no suspect, however unlike the values are";
  EXPECT_THAT(with_codes.only_reference, testing::IsEmpty());
  EXPECT_THAT(with_codes.only_quantized, testing::IsEmpty());
}

TEST(Pair, ComparesTheOnlyOutputsButMaySuspectThemWhereTheirNamesAreOthers) {
  Model renamed = ending_in(Kind::sigmoid, false).model();
  renamed.graph.nodes.back().outputs[0] = renamed.graph.outputs[0].name = "output_0";
  const Pairing pairing = pair(ending_in(Kind::tanh, false).model(), renamed);
  ASSERT_EQ(pairing.pairs.size(), 1U);
  EXPECT_EQ(pairing.pairs[0].quantized, "output_0");
  EXPECT_EQ(pairing.pairs[0].found_by, FoundBy::structure);
  EXPECT_FALSE(pairing.pairs[0].confirmed);
}

TEST(Pair, ComparesAnOutputBehindAnIdentityThatTheOtherFileLeavesOut) {
  const Pairing pairing =
      pair(ending_in(Kind::identity, false).model(), ending_in(Kind::relu, true).model());
  ASSERT_EQ(pairing.pairs.size(), 2U);
  EXPECT_EQ(pairing.pairs[0].reference, "r");
  EXPECT_EQ(pairing.pairs[1].reference, "y");
  EXPECT_EQ(pairing.pairs[1].quantized, "y_q");
  EXPECT_EQ(pairing.pairs[1].same_as, 0U) << "the same codes are gathered once";
  EXPECT_THAT(pairing.only_reference, testing::IsEmpty());
}

/// x -> Relu r, -> Sigmoid t, given as the two outputs in this order of their names.
SmallGraph two_heads(const std::string& of_relu, const std::string& of_sigmoid) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, of_relu).node(Kind::sigmoid, {"x"}, of_sigmoid);
  return net.output("a").output("b");
}

TEST(Pair, ComparesWhatTheFilesCallTheSameOutputWhereHeadsAreExchanged) {
  const Pairing pairing = pair(two_heads("a", "b").model(), two_heads("b", "a").model());
  ASSERT_EQ(pairing.pairs.size(), 2U);
  for (const ValuePair& one : pairing.pairs) EXPECT_EQ(one.reference, one.quantized);
}

TEST(Pair, ShowsWhatHasNoCounterpart) {
  const SmallGraph reference = reference_net();
  SmallGraph other;
  other.input("x").weight("s", {}, {1}).constant("zero", Tensor::from<std::uint8_t>({}, {0}));
  other.node(Kind::relu, {"x"}, "elsewhere")
      .node(Kind::quantize, {"elsewhere", "s", "zero"}, "stray")
      .node(Kind::relu, {"elsewhere"}, "one")
      .node(Kind::exp, {"elsewhere"}, "two")
      .output("one")
      .output("two");
  const Pairing pairing = pair(reference.model(), other.model());
  EXPECT_TRUE(pairing.pairs.empty());
  EXPECT_EQ(pairing.only_reference, (std::vector<std::string>{"c", "r", "y"}));
  EXPECT_EQ(pairing.only_quantized, std::vector<std::string>{"stray"});
}

/// What a model gives is what it is for: its values are compared whatever computes them.
TEST(Pair, OutputsOfOneNameBelongTogether) {
  const auto net = [](Kind last, const std::string& output) {
    SmallGraph made;
    made.input("x").node(Kind::softmax, {"x"}, "a").node(Kind::exp, {"a"}, "b").output("b");
    return made.node(last, {"a"}, output).output(output);
  };
  const auto partner = [&](const Model& quantized, const std::string& value) {
    const Pairing pairing = pair(net(Kind::tanh, "y").model(), quantized);
    const auto found = std::ranges::find(pairing.pairs, value, &ValuePair::reference);
    return found == pairing.pairs.end() ? "" : found->quantized;
  };
  EXPECT_EQ(partner(net(Kind::sigmoid, "y").model(), "y"), "y");
  EXPECT_EQ(partner(net(Kind::sigmoid, "z").model(), "y"), "") << "names are shared, not this one";
  SmallGraph others;
  others.input("x").node(Kind::exp, {"x"}, "one").node(Kind::log, {"x"}, "two");
  others.output("one").output("two");
  EXPECT_EQ(partner(others.model(), "y"), "two") << "no name is shared: by place";
}

TEST(Pair, TrustsTheNamesInTheFileOnlyWhereTheyExist) {
  const SmallGraph reference = reference_net();
  SmallGraph quantized = quantized_net();
  quantized.metadata("quantlens.names", R"({"values": {"r": "no such tensor", "x": "x_q"}})");
  const Pairing pairing = pair(reference.model(), quantized.model());
  EXPECT_EQ(pairing.pairs[0].found_by, FoundBy::metadata);
  EXPECT_EQ(pairing.pairs[1].found_by, FoundBy::name);
  quantized.metadata("quantlens.names", "[not json");
  EXPECT_EQ(pair(reference.model(), quantized.model()).pairs.size(), 3U);
}

}  // namespace
}  // namespace quantlens
