// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/qoperator_edit.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"
#include "quantlens/quant/params.h"

namespace quantlens::onnx {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::SizeIs;

const Scheme kAsCodes{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
constexpr QParams kFromZero{.scale = 0.5F, .zero_point = 0};  // codes of 0 and more alone
constexpr QParams kBelowZero{.scale = 0.5F, .zero_point = 3};

/// All readers of `value` get codes.
ActivationPlan coded_activation(const std::string& value, QParams params = kBelowZero) {
  return {.value = value, .scheme = kAsCodes, .params = params, .all_uses = true, .uses = {}};
}

WeightPlan weight(const std::string& name, const ValueUse& use, std::optional<int> axis = {}) {
  return {.weight = name,
          .scheme = {.dtype = DType::int8, .symmetric = true, .axis = axis, .bits = 8},
          .params = std::vector<QParams>(axis ? 2 : 1, QParams{.scale = 0.25F, .zero_point = 0}),
          .uses = {use}};
}

/// In steps of the products of `kFromZero` or `kBelowZero` and a weight.
WeightPlan bias(const std::string& name, const std::string& op, std::optional<int> axis = {}) {
  WeightPlan plan = weight(name, {op, 2}, axis);
  plan.scheme.dtype = DType::int32;
  for (QParams& one : plan.params) one.scale = 0.125F;
  return plan;
}

OpPlan op_plan(const std::string& op, const std::string& type, bool quantized = true) {
  return {.op = {.id = op, .name = "node_" + op},
          .type = type,
          .kind = {},
          .pattern = {type},
          .members = {op},
          .quantized = quantized,
          .reason = {}};
}

/// What a quantizer decides of small_graph: batch norm folded, both Convs quantized.
Plan small_plan(QParams r1) {
  Plan plan;
  plan.quant_format = QuantFormat::qoperator;
  plan.ops = {op_plan("c1", "Conv"), op_plan("y", "Conv"), op_plan("z", "If", false)};
  plan.folds = {{"n1", "c1"}};
  plan.input_edits = {{{"c1", 1}, "w1/folded", "w1"}, {{"c1", 2}, "c1/bias", ""}};
  plan.weights = {{"w1/folded", Tensor::from<float>({2, 3, 1, 1}, {1, 2, 3, 4, 5, 6})},
                  {"c1/bias", Tensor::from<float>({2}, {1, -1})}};
  plan.activations = {coded_activation("x"), coded_activation("r1", r1), coded_activation("y")};
  plan.weights_quantized = {weight("w1/folded", {"c1", 1}, 0), bias("c1/bias", "c1", 0),
                            weight("w2", {"y", 1}, 0), bias("b2", "y", 0)};
  return plan;
}

class IntegerOperators : public testing::Test {
 protected:
  void apply(const Graph& graph, Plan plan, std::int64_t opset = 13) {
    apply(model_of(graph, {{"", opset}}), std::move(plan));
  }
  void apply(const Model& model, Plan plan) {
    plan.quant_format = QuantFormat::qoperator;
    const PlanEdit edit = plan_edit(model, plan);
    notes_ = edit.notes;
    after_ = model_of(written(model, edit_for(model, plan)));
    topological_order(after_.graph);  // throws where a value is missing
  }
  const WeightMap& weights() const { return after_.graph.weights; }
  const auto& values() const { return after_.graph.values; }
  const Node& maker(const std::string& value) const {
    for (const Node& node : after_.graph.nodes) {
      if (std::ranges::count(node.outputs, value) > 0) return node;
    }
    ADD_FAILURE() << "nothing makes " << value;
    return after_.graph.nodes.front();
  }
  std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const Node& node : after_.graph.nodes) types.push_back(node.type);
    return types;
  }
  std::int64_t number(const std::string& weight) const {
    return to_int64(weights().at(weight)).at(0);
  }
  Model after_;
  std::vector<std::string> notes_;
};

TEST_F(IntegerOperators, StandForTheOpsBetweenTheirPairs) {
  apply(small_graph(), small_plan(kFromZero));
  const Node& first = maker("r1_QuantizeLinear_Output");
  EXPECT_EQ(first.type, "QLinearConv");
  EXPECT_EQ(first.name, "node_c1");
  EXPECT_THAT(first.inputs,
              ElementsAre("x_QuantizeLinear_Output", "x_scale", "x_zero_point",
                          "w1/folded_quantized", "w1/folded_scale", "w1/folded_zero_point",
                          "r1_scale", "r1_zero_point", "c1/bias_quantized"));
  EXPECT_EQ(maker("y_QuantizeLinear_Output").inputs[0], "r1_QuantizeLinear_Output");
  EXPECT_THAT(attribute_ints(first, "kernel_shape"), ElementsAre(1, 1));
  EXPECT_THAT(after_.opsets, Not(Contains(Key("com.microsoft")))) << "ONNX's own are enough";
  EXPECT_THAT(notes_, SizeIs(0));
}

TEST_F(IntegerOperators, AreDequantizedForFloatReadersAndGraphOutputsOnly) {
  apply(small_graph(), small_plan(kFromZero));
  EXPECT_THAT(types(), ElementsAre("QuantizeLinear", "QLinearConv", "DequantizeLinear",
                                   "QLinearConv", "DequantizeLinear", "Constant", "If"));
  EXPECT_THAT(captured_values(maker("z")), ElementsAre("r1_DequantizeLinear_Output"));
  EXPECT_EQ(maker("r1_DequantizeLinear_Output").inputs[0], "r1_QuantizeLinear_Output");
  EXPECT_EQ(maker("y").inputs[0], "y_QuantizeLinear_Output");
}

TEST_F(IntegerOperators, LeaveNothingBehindThatNobodyReads) {
  apply(small_graph(), small_plan(kFromZero));
  for (const char* gone : {"c1/bias_scale", "c1/bias_zero_point", "b2_scale", "w1", "scale"}) {
    EXPECT_THAT(weights(), Not(Contains(Key(gone))));
  }
  for (const char* gone : {"c1", "n1", "r1", "b2"}) {
    EXPECT_THAT(values(), Not(Contains(Key(gone))));
  }
}

TEST_F(IntegerOperators, HaveTheNamesThatPairsHave) {
  apply(small_graph(), small_plan(kFromZero));
  Plan pairs = small_plan(kFromZero);
  pairs.quant_format = QuantFormat::qdq;
  const Model model = model_of(small_graph());
  EXPECT_EQ(after_.metadata.at("quantlens.names"),
            edit_for(model, pairs).metadata.at("quantlens.names"));
}

TEST_F(IntegerOperators, ClipCodesWhereSaturationDoesNot) {
  apply(small_graph(), small_plan(kBelowZero));
  const Node& clip = maker("r1_QuantizeLinear_Output");
  EXPECT_EQ(clip.type, "Clip");
  EXPECT_EQ(clip.name, "node_r1");
  EXPECT_EQ(number(clip.inputs[1]), 3) << "the code of 0";
  EXPECT_EQ(number(clip.inputs[2]), 255);
  EXPECT_EQ(weights().at(clip.inputs[1]).dtype(), DType::uint8);
  EXPECT_EQ(maker(clip.inputs[0]).type, "QLinearConv");
}

TEST_F(IntegerOperators, DoNotTakeAResultAwayFromAFloatReader) {
  Plan plan = small_plan(kFromZero);
  plan.activations[1].all_uses = false;  // the If reads the float
  plan.activations[1].uses = {{"y", 0}};
  apply(small_graph(), plan);
  EXPECT_EQ(maker("r1").type, "Relu");
  EXPECT_EQ(maker("n1").type, "Conv");
  EXPECT_EQ(maker("y_QuantizeLinear_Output").type, "QLinearConv");
  EXPECT_THAT(captured_values(maker("z")), ElementsAre("r1"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 of type Conv (node_c1)")));
}

TEST_F(IntegerOperators, TakeOnlyABiasInTheStepsOfTheProducts) {
  Plan plan = small_plan(kFromZero);
  plan.weights_quantized[1].params[1].scale = 0.126F;
  apply(small_graph(), plan);
  EXPECT_EQ(maker("n1").type, "Conv");
  EXPECT_EQ(maker(maker("n1").inputs[2]).type, "DequantizeLinear");
  plan.weights_quantized[1].params[1] = {.scale = 0.125F, .zero_point = 1};
  apply(small_graph(), plan);
  EXPECT_EQ(maker("n1").type, "Conv");
}

TEST_F(IntegerOperators, OfConvolutionWantOneZeroPointForAllChannels) {
  Plan plan = small_plan(kFromZero);
  plan.weights_quantized[2].params[1].zero_point = 1;
  apply(small_graph(), plan);
  EXPECT_EQ(maker("y_QuantizeLinear_Input").type, "Conv");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 of type Conv (node_y)")));
}

/// x [2,3] through these nodes to "y".
Graph chain(const std::vector<Node>& nodes) {
  Graph graph;
  graph.name = "chain";
  graph.inputs = {float_value("x", {dim(2), dim(3)})};
  graph.outputs = {float_value("y", {})};
  graph.nodes = nodes;
  for (const Node& node : nodes) {
    for (const std::string& output : node.outputs) graph.values[output] = float_value(output, {});
  }
  graph.values.erase("y");
  return graph;
}

Plan chain_plan(const std::vector<std::string>& values) {
  Plan plan;
  for (const std::string& value : values) plan.activations.push_back(coded_activation(value));
  return plan;
}

TEST_F(IntegerOperators, OfMicrosoftAreImported) {
  apply(chain({make_node("Add", {"x", "x"}, {"y"})}), chain_plan({"x", "y"}));
  EXPECT_EQ(maker("y_QuantizeLinear_Output").domain, "com.microsoft");
  EXPECT_EQ(after_.opsets.at("com.microsoft"), 1);
}

TEST_F(IntegerOperators, KeepTheOpThatMovesCodesAndAllItsFields) {
  const Model model = model_of(with_unknown_fields(
      model_of(chain({make_node("Transpose", {"x"}, {"t"}), make_node("Relu", {"t"}, {"y"})}))
          .file.text()));
  apply(model, chain_plan({"x", "t"}));
  const Node& moved = maker("t_QuantizeLinear_Output");
  EXPECT_EQ(moved.type, "Transpose");
  EXPECT_THAT(moved.inputs, ElementsAre("x_QuantizeLinear_Output"));
  EXPECT_EQ(maker("y").inputs[0], "t_DequantizeLinear_Output");
  Pieces old;
  old.text(node_bytes(model.file.text()).at("t"));
  const std::vector<std::string> kept = unknown_fields(after_.file.text());
  for (const std::string& field : unknown_fields(file_with(std::move(old)))) {
    EXPECT_THAT(kept, Contains(field));
  }
}

TEST_F(IntegerOperators, DoNotMoveCodesToOtherParameters) {
  Plan plan = chain_plan({"x", "y"});
  plan.activations[1].params.scale = 0.25F;
  apply(chain({make_node("Transpose", {"x"}, {"y"})}), plan);
  EXPECT_THAT(types(), ElementsAre("QuantizeLinear", "DequantizeLinear", "Transpose",
                                   "QuantizeLinear", "DequantizeLinear"));
}

TEST_F(IntegerOperators, TakeTheBiasBehindAMatMul) {
  Graph graph =
      chain({make_node("MatMul", {"x", "w"}, {"m"}), make_node("Add", {"m", "b"}, {"y"})});
  graph.weights["w"] = Tensor::from<float>({3, 2}, std::vector<float>(6, 1));
  graph.weights["b"] = Tensor::from<float>({2}, {1, 2});
  Plan plan = chain_plan({"x"});
  plan.weights_quantized = {weight("w", {"m", 1}, 1)};
  apply(graph, plan);
  EXPECT_EQ(maker("y").type, "MatMulIntegerToFloat");
  EXPECT_THAT(maker("y").inputs, ElementsAre("x_QuantizeLinear_Output", "w_quantized", "x_scale",
                                             "w_scale", "x_zero_point", "w_zero_point", "b"));
  EXPECT_THAT(values(), Not(Contains(Key("m"))));

  std::swap(graph.nodes[1].inputs[0], graph.nodes[1].inputs[1]);
  apply(graph, plan);
  EXPECT_THAT(maker("y").inputs, Contains("b"));

  graph.outputs.push_back(float_value("m", {}));
  apply(graph, plan);
  EXPECT_EQ(maker("m").type, "MatMulIntegerToFloat") << "somebody wants it without the bias";
  EXPECT_THAT(maker("m").inputs, SizeIs(6));
  EXPECT_EQ(maker("y").type, "Add");
}

TEST_F(IntegerOperators, AreAGemmForMatricesAndTheirIntegerBias) {
  Graph graph =
      chain({make_node("MatMul", {"x", "w"}, {"m"}), make_node("Add", {"m", "b"}, {"y"})});
  graph.weights["w"] = Tensor::from<float>({3, 2}, std::vector<float>(6, 1));
  graph.weights["b"] = Tensor::from<float>({2}, {1, 2});
  Plan plan = chain_plan({"x", "y"});
  plan.weights_quantized = {weight("w", {"m", 1}, 1), bias("b", "y", 0)};
  plan.weights_quantized[1].uses = {{"y", 1}};
  apply(graph, plan);
  EXPECT_EQ(maker("y_QuantizeLinear_Output").type, "QGemm");
  EXPECT_THAT(maker("y_QuantizeLinear_Output").inputs,
              ElementsAre("x_QuantizeLinear_Output", "x_scale", "x_zero_point", "w_quantized",
                          "w_scale", "w_zero_point", "b_quantized", "y_scale", "y_zero_point"));
  plan.activations.pop_back();
  apply(graph, plan);
  EXPECT_EQ(maker("y").type, "QGemm");
  EXPECT_THAT(maker("y").inputs, SizeIs(7));

  graph.inputs[0].shape = std::vector<Dim>{dim(2), dim(2), dim(3)};  // no matrix
  apply(graph, plan);
  EXPECT_EQ(maker("y").type, "MatMulIntegerToFloat");
  EXPECT_EQ(maker("y").inputs.back(), "b_DequantizeLinear_Output");

  graph.weights["b"] = Tensor::from<float>({1, 2}, {1, 2});
  plan.weights_quantized[1].scheme.axis = 1;
  apply(graph, plan);
  EXPECT_EQ(maker("y").type, "Add") << "only a Gemm takes a row";
  graph.inputs[0].shape = std::vector<Dim>{dim(2), dim(3)};
  apply(graph, plan);
  EXPECT_EQ(maker("y").type, "QGemm");
}

TEST_F(IntegerOperators, StandBehindTheBiasThatTheyRead) {
  Graph graph =
      chain({make_node("MatMul", {"x", "w"}, {"m"}),
             make_node("Constant", {}, {"b"}, {{"value", Tensor::from<float>({2}, {1, 2})}}),
             make_node("Add", {"m", "b"}, {"y"})});
  graph.weights["w"] = Tensor::from<float>({3, 2}, std::vector<float>(6, 1));
  Plan plan = chain_plan({"x"});
  plan.weights_quantized = {weight("w", {"m", 1}, 1)};
  apply(graph, plan);
  EXPECT_THAT(types(), ElementsAre("QuantizeLinear", "Constant", "MatMulIntegerToFloat"));
}

/// What the reader of files lets pass, and no runtime would.
TEST_F(IntegerOperators, AreNotMadeOfNodesThatLackTheirInputs) {
  const auto body = std::make_shared<Graph>();
  body->nodes = {make_node("Neg", {"s"}, {"inner"})};
  body->outputs = {float_value("inner", {})};
  Node odd = make_node("Relu", {}, {"y"});
  odd.subgraphs["body"] = body;
  apply(chain({make_node("Add", {"x", "x"}, {"s"}), odd}), chain_plan({"x", "y"}));
  EXPECT_EQ(maker("s").type, "Add");
  apply(chain({make_node("MatMul", {"x"}, {"m"}), make_node("Add", {"m"}, {"y"})}),
        chain_plan({"x"}));
  EXPECT_EQ(maker("m").type, "MatMul");
  apply(chain({make_node("Add", {"x"}, {"", "y"})}), chain_plan({"x", "y"}));
  EXPECT_EQ(maker("y_QuantizeLinear_Input").type, "Add");
}

/// The bounds that a graph gives are dropped with the Clip, unless another node reads them.
TEST_F(IntegerOperators, DropTheBoundsOfAClipThatSaturationReplaces) {
  Graph graph =
      chain({make_node("Constant", {}, {"six"}, {{"value", Tensor::scalar(200.0F)}}),
             make_node("Add", {"x", "x"}, {"s"}), make_node("Clip", {"s", "zero", "six"}, {"c"}),
             make_node("Div", {"c", "one"}, {"y"})});
  graph.weights["zero"] = Tensor::scalar(0.0F);
  graph.weights["one"] = Tensor::scalar(1.0F);
  Plan plan = chain_plan({"x", "c"});
  plan.activations[1].params = kFromZero;
  apply(graph, plan);
  EXPECT_THAT(types(), ElementsAre("QuantizeLinear", "QLinearAdd", "DequantizeLinear", "Div"));
  EXPECT_THAT(weights(), Not(Contains(Key("zero"))));

  graph.nodes[3].inputs[1] = "zero";
  apply(graph, plan);
  EXPECT_THAT(weights(), Contains(Key("zero")));
}

TEST_F(IntegerOperators, LeaveAClipWithBoundsThatAreComputedOrInDisorder) {
  Graph graph =
      chain({make_node("Add", {"x", "x"}, {"s"}), make_node("Clip", {"s", "low", "high"}, {"y"})});
  graph.weights["low"] = Tensor::scalar(2.0F);
  graph.weights["high"] = Tensor::scalar(1.0F);
  apply(graph, chain_plan({"x", "y"}));
  EXPECT_EQ(maker("s").type, "Add");
  graph.weights.erase("low");
  graph.inputs.push_back(float_value("low", {}));
  apply(graph, chain_plan({"x", "y"}));
  EXPECT_EQ(maker("s").type, "Add");
}

TEST_F(IntegerOperators, AreOfEightBits) {
  Plan plan = chain_plan({"x", "y"});
  for (ActivationPlan& one : plan.activations) one.scheme.dtype = DType::int16;
  apply(chain({make_node("Add", {"x", "x"}, {"y"})}), plan, 21);
  EXPECT_EQ(maker("y_QuantizeLinear_Input").type, "Add");
}

TEST_F(IntegerOperators, KnowNoPoolWithHoles) {
  const auto pool = [](std::int64_t dilation) {
    return chain({make_node("AveragePool", {"x"}, {"y"},
                            {{"kernel_shape", std::vector<std::int64_t>{2}},
                             {"dilations", std::vector<std::int64_t>{dilation}}})});
  };
  apply(pool(2), chain_plan({"x", "y"}), 19);
  EXPECT_EQ(maker("y_QuantizeLinear_Input").type, "AveragePool");
  apply(pool(1), chain_plan({"x", "y"}), 19);
  EXPECT_EQ(maker("y_QuantizeLinear_Output").type, "QLinearAveragePool");
  EXPECT_THAT(maker("y_QuantizeLinear_Output").attributes, Not(Contains(Key("dilations"))));
}

TEST_F(IntegerOperators, FindFreeNamesForBounds) {
  Graph graph = small_graph();
  graph.weights["r1_QuantizeLinear_Output_min"] = Tensor::scalar(1.0F);
  apply(graph, small_plan(kBelowZero));
  EXPECT_EQ(maker("r1_QuantizeLinear_Output").inputs[1], "r1_QuantizeLinear_Output_min_1");
}

TEST_F(IntegerOperators, AreNamedInANoteWhereThereAreNone) {
  std::vector<Node> nodes;
  Plan plan = chain_plan({"x", "y"});
  std::string from = "x";
  for (const char* value : {"a", "b", "c", "d", "y"}) {
    nodes.push_back(make_node("Tanh", {from}, {value}));
    plan.ops.push_back(op_plan(value, "Tanh"));
    from = value;
  }
  apply(chain(nodes), plan);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("5 of type Tanh (node_a, node_b, node_c, ...)")));
}

}  // namespace
}  // namespace quantlens::onnx
