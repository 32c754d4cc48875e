// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"
#include "quantlens/quant/params.h"

namespace quantlens::onnx {
namespace {

using testing::HasSubstr;

const Scheme kCodes{.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
const Scheme kPerChannel{.dtype = DType::int8, .symmetric = true, .axis = 0, .bits = 8};
const Scheme kBias{.dtype = DType::int32, .symmetric = true, .axis = 0, .bits = 32};

ActivationPlan activation(const std::string& value, std::vector<ValueUse> uses = {}) {
  ActivationPlan plan;
  plan.value = value;
  plan.scheme = kCodes;
  plan.params = {0.5F, 3};
  plan.all_uses = uses.empty();
  plan.uses = std::move(uses);
  return plan;
}

WeightPlan weight(const std::string& name, const Scheme& scheme, std::vector<ValueUse> uses) {
  return {name, scheme, std::vector<QParams>(scheme.axis ? 2 : 1, QParams{0.25F, 0}),
          std::move(uses)};
}

/// What a quantizer decides of small_graph: batch norm folded, both Convs quantized.
Plan small_plan() {
  Plan plan;
  plan.folds = {{"n1", "c1"}};
  plan.input_edits = {{{"c1", 1}, "w1/folded", "w1"}, {{"c1", 2}, "c1/bias", ""}};
  plan.weights = {{"w1/folded", Tensor::from<float>({2, 3, 1, 1}, {1, 2, 3, 4, 5, 6})},
                  {"c1/bias", Tensor::from<float>({2}, {1, -1})}};
  plan.activations = {activation("x", {{"c1", 0}}), activation("r1"), activation("y")};
  plan.weights_quantized = {weight("w1/folded", kPerChannel, {{"c1", 1}}),
                            weight("c1/bias", kBias, {{"c1", 2}}),
                            weight("w2", kPerChannel, {{"y", 1}}), weight("b2", kBias, {{"y", 2}})};
  return plan;
}

Model applied(const Model& model, const Plan& plan) {
  return model_of(written(model, edit_for(model, plan)));
}

class Applied : public testing::Test {
 protected:
  void SetUp() override { apply_plan(small_plan()); }
  void apply_plan(const Plan& plan) {
    before_ = model_of(small_graph());
    after_ = applied(before_, plan);
  }
  const Graph& graph() const { return after_.graph; }
  const Node& maker(const std::string& value) const {
    for (const Node& node : graph().nodes) {
      if (std::ranges::count(node.outputs, value) > 0) return node;
    }
    ADD_FAILURE() << "nothing makes " << value;
    return graph().nodes.front();
  }
  Model before_, after_;
};

TEST_F(Applied, ReadsADequantizedValueWhereThePlanSaysSo) {
  const Node& dequantize = maker(maker("n1").inputs[0]);
  EXPECT_EQ(op_id(dequantize), "x_DequantizeLinear_Output");
  EXPECT_EQ(dequantize.inputs,
            (std::vector<std::string>{"x_QuantizeLinear_Output", "x_scale", "x_zero_point"}));
  EXPECT_EQ(maker("x_QuantizeLinear_Output").inputs,
            (std::vector<std::string>{"x", "x_scale", "x_zero_point"}));
  EXPECT_EQ(aligned(graph().weights.at("x_scale")).data<float>()[0], 0.5F);
  EXPECT_EQ(graph().weights.at("x_scale").shape(), Shape());
  EXPECT_EQ(graph().weights.at("x_zero_point").dtype(), DType::uint8);
  EXPECT_EQ(to_int64(graph().weights.at("x_zero_point")), std::vector<std::int64_t>{3});
}

TEST_F(Applied, GivesAllReadersTheDequantizedValueThoseInSubgraphsToo) {
  const std::string result = "r1_DequantizeLinear_Output";
  EXPECT_EQ(maker("y_QuantizeLinear_Input").inputs[0], result);
  EXPECT_EQ(captured_values(maker("z")), std::vector<std::string>{result});
  EXPECT_EQ(maker("r1_QuantizeLinear_Output").inputs[0], "r1");
}

TEST_F(Applied, KeepsTheNameOfAGraphOutputOnTheDequantizedValue) {
  EXPECT_EQ(maker("y").type, "DequantizeLinear");
  EXPECT_EQ(maker("y_QuantizeLinear_Output").inputs[0], "y_QuantizeLinear_Input");
  EXPECT_EQ(maker("y_QuantizeLinear_Input").type, "Conv");
}

TEST_F(Applied, PutsNodesRightAfterWhatTheyReadOrBeforeTheirFirstReader) {
  std::vector<std::string> order;
  for (const Node& node : graph().nodes) order.push_back(op_id(node));
  const std::vector<std::string> expected = {"x_QuantizeLinear_Output",
                                             "x_DequantizeLinear_Output",
                                             "w1/folded_DequantizeLinear_Output",
                                             "c1/bias_DequantizeLinear_Output",
                                             "n1",
                                             "r1",
                                             "r1_QuantizeLinear_Output",
                                             "r1_DequantizeLinear_Output",
                                             "w2_DequantizeLinear_Output",
                                             "b2_DequantizeLinear_Output",
                                             "y_QuantizeLinear_Input",
                                             "y_QuantizeLinear_Output",
                                             "y",
                                             "condition",
                                             "z"};
  EXPECT_EQ(order, expected);
}

TEST_F(Applied, LetsTheFoldedOpsValueBeMadeByTheOpThatStays) {
  EXPECT_EQ(maker("n1").type, "Conv");
  EXPECT_EQ(maker("n1").name, "node_c1");
  EXPECT_TRUE(graph().values.contains("n1"));
  EXPECT_FALSE(graph().values.contains("c1"));
  for (const char* name : {"scale", "bias", "mean", "variance", "w1"}) {
    EXPECT_FALSE(graph().weights.contains(name)) << name;
  }
}

TEST_F(Applied, StoresWeightsAsCodesWithAScaleForEachChannel) {
  const Node& dequantize = maker(maker("n1").inputs[1]);
  EXPECT_EQ(attribute_int(dequantize, "axis", -1), 0);
  const Tensor& codes = graph().weights.at("w1/folded_quantized");
  EXPECT_EQ(codes.dtype(), DType::int8);
  EXPECT_EQ(codes.shape(), (Shape{2, 3, 1, 1}));
  EXPECT_EQ(to_int64(codes), (std::vector<std::int64_t>{4, 8, 12, 16, 20, 24}));
  EXPECT_EQ(graph().weights.at("w1/folded_scale").shape(), (Shape{2}));
  EXPECT_EQ(graph().weights.at("w1/folded_zero_point").dtype(), DType::int8);
  EXPECT_FALSE(graph().weights.contains("w1/folded")) << "nothing reads the float one";
}

TEST_F(Applied, StoresBiasesAsInt32AndDropsTheConstantNodeThatHeldOne) {
  const Tensor& codes = graph().weights.at("b2_quantized");
  EXPECT_EQ(codes.dtype(), DType::int32);
  EXPECT_EQ(graph().weights.at("b2_zero_point").dtype(), DType::int32);
  for (const Node& node : graph().nodes) EXPECT_NE(op_id(node), "b2");
  EXPECT_EQ(maker("n1").inputs.size(), 3U) << "a bias where there was none";
}

TEST_F(Applied, SaysWhatBecameOfEveryName) {
  const std::string text = after_.metadata.at("quantlens.names");
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const json::Value map = json::parse(text, "names");
  EXPECT_EQ(map, json::parse(R"({"format": 1,
    "values": {"x": "x_QuantizeLinear_Output", "r1": "r1_QuantizeLinear_Output",
               "y": "y_QuantizeLinear_Output"},
    "weights": [
      {"op": "c1", "weight": "w1", "quantized": "w1/folded_quantized", "folded": true},
      {"op": "c1", "weight": "", "quantized": "c1/bias_quantized", "folded": true},
      {"op": "y", "weight": "w2", "quantized": "w2_quantized", "folded": false},
      {"op": "y", "weight": "b2", "quantized": "b2_quantized", "folded": false}],
    "folds": [{"op": "n1", "into": "c1"}]})",
                             "expected"));
  EXPECT_EQ(after_.metadata.at("author"), "nobody");
}

TEST_F(Applied, WritesAFoldedWeightInFloatWhereItStaysFloat) {
  Plan plan = small_plan();
  plan.weights_quantized.clear();
  plan.activations.clear();
  apply_plan(plan);
  EXPECT_EQ(maker("n1").inputs, (std::vector<std::string>{"x", "w1/folded", "c1/bias"}));
  EXPECT_EQ(aligned(graph().weights.at("w1/folded")).data<float>()[5], 6);
  EXPECT_FALSE(graph().weights.contains("w1"));
  EXPECT_TRUE(graph().weights.contains("w2"));
}

TEST_F(Applied, KeepsAFloatWeightThatAnotherOpOrASubgraphStillReads) {
  Graph shared = small_graph();
  Graph body;
  body.nodes = {make_node("Identity", {"w2"}, {"inner"})};
  body.outputs = {float_value("inner", {})};
  shared.nodes[6].subgraphs["then_branch"] = std::make_shared<const Graph>(body);
  Plan plan;
  plan.weights_quantized = {weight("w2", kPerChannel, {{"y", 1}})};
  const Graph after = applied(model_of(shared), plan).graph;
  EXPECT_TRUE(after.weights.contains("w2"));
  EXPECT_TRUE(after.weights.contains("w2_quantized"));
}

TEST_F(Applied, StoresOneWeightTwiceUnderTwoNamesWhereOpsDiffer) {
  Graph shared = small_graph();
  shared.nodes.push_back(make_node("Conv", {"r1", "w2"}, {"c3"}));
  Plan plan;
  plan.weights_quantized = {weight("w2", kPerChannel, {{"y", 1}}),
                            weight("w2", kCodes, {{"c3", 1}})};
  const Graph after = applied(model_of(shared), plan).graph;
  EXPECT_EQ(after.weights.at("w2_quantized").dtype(), DType::int8);
  EXPECT_EQ(after.weights.at("w2_quantized_1").dtype(), DType::uint8);
  EXPECT_EQ(after.weights.at("w2_scale_1").shape(), Shape());
  EXPECT_FALSE(after.weights.contains("w2"));
}

TEST_F(Applied, FindsFreeNamesWhereItsOwnAreTaken) {
  Graph crowded = small_graph();
  crowded.weights["x_scale"] = Tensor::scalar(1.0F);
  crowded.nodes.push_back(make_node("Identity", {"x_scale"}, {"x_QuantizeLinear_Output"}));
  Plan plan;
  plan.activations = {activation("x")};
  const Graph after = applied(model_of(crowded), plan).graph;
  EXPECT_TRUE(after.weights.contains("x_scale_1"));
  EXPECT_EQ(after.nodes[0].outputs[0], "x_QuantizeLinear_Output_1");
}

TEST_F(Applied, TakesNamesAsTheyAre) {
  Graph odd = small_graph();
  odd.inputs[0].name = "\1x";  // means something in the edits of a merge only
  odd.nodes[0].inputs[0] = "\1x";
  Plan plan;
  plan.activations = {activation("\1x")};
  EXPECT_EQ(applied(model_of(odd), plan).graph.nodes[0].inputs[0], "\1x");
}

TEST_F(Applied, CopiesWhatThePlanDoesNotTouchByteForByte) {
  const std::string before = with_unknown_fields(model_of(small_graph()).file.text());
  const Model model = model_of(before);
  const std::string after = written(model, edit_for(model, small_plan()));
  EXPECT_EQ(node_bytes(after).at("r1"), node_bytes(before).at("r1"));
  EXPECT_EQ(node_bytes(after).at("condition"), node_bytes(before).at("condition"));
  const std::vector<std::string> kept = unknown_fields(after);
  for (const char* changed : {"c1", "y", "z"}) {  // rewired: their own fields are still there
    Pieces graph;
    graph.text(node_bytes(before).at(changed));
    for (const std::string& field : unknown_fields(file_with(std::move(graph)))) {
      EXPECT_THAT(kept, testing::Contains(field)) << changed;
    }
  }
}

std::string refusal(Errc code, const Plan& plan, std::int64_t opset = 13) {
  const Model model = model_of(small_graph(), {{"", opset}});
  return sentence_of(code, [&] { edit_for(model, plan); });
}

TEST(ApplyOnnx, RefusesWhatTheOperatorSetHasNoWordsFor) {
  Plan plan;
  plan.activations = {activation("x")};
  EXPECT_THAT(refusal(Errc::unsupported, plan, 9),
              HasSubstr("QuantizeLinear needs ONNX operators of version 10, and the model uses 9"));
  EXPECT_NO_THROW(edit_for(model_of(small_graph(), {{"", 10}}), plan));
  plan.weights_quantized = {weight("w2", kPerChannel, {{"y", 1}})};
  EXPECT_THAT(refusal(Errc::unsupported, plan, 12), HasSubstr("a scale for each channel needs"));
  plan.quant_format = QuantFormat::default_;  // a recipe's word, which a plan has decided
  EXPECT_THAT(refusal(Errc::unsupported, plan), HasSubstr("choose qdq or qoperator"));
}

TEST(ApplyOnnx, SaysCodesOfOtherWidthsInTheRuntimesOwnOperatorsWhereOnnxHasNone) {
  Plan plan;
  plan.activations = {activation("x")};
  plan.activations[0].scheme = {DType::int16, true, {}, 16};
  plan.weights_quantized = {weight("w2", {DType::int4, true, {}, 4}, {{"y", 1}})};
  const auto domains = [&](std::int64_t opset) {
    const Model model = model_of(small_graph(), {{"", opset}});
    const Model result = model_of(written(model, edit_for(model, plan)));
    EXPECT_EQ(result.opsets.contains("com.microsoft"), opset < 21);
    std::set<std::string> found;
    for (const Node& node : result.graph.nodes) {
      if (node.kind == Kind::quantize || node.kind == Kind::dequantize) found.insert(node.domain);
    }
    return found;
  };
  EXPECT_EQ(domains(20), std::set<std::string>{"com.microsoft"});
  EXPECT_EQ(domains(21), std::set<std::string>{""});
}

TEST_F(Applied, GivesAValueCodesOfTwoWidthsForDifferentReaders) {
  Plan plan;
  plan.activations = {activation("r1"), activation("r1", {{"y", 0}})};
  plan.activations[0].scheme = {DType::uint16, false, {}, 16};
  apply_plan(plan);
  const GraphIndex index(graph());
  const Node& codes = maker(maker("y").inputs[0]);
  EXPECT_EQ(index.constant(codes.inputs[2])->dtype(), DType::uint8);
  const Node& others = maker(maker("z").subgraphs.begin()->second->nodes[0].inputs[0]);
  EXPECT_EQ(index.constant(others.inputs[2])->dtype(), DType::uint16);
  EXPECT_EQ(maker(codes.inputs[0]).inputs[0], "r1") << "rounded once, not twice";
  EXPECT_THAT(after_.metadata.at("quantlens.names"),
              HasSubstr("\"r1\":\"" + others.inputs[0] + "\""))
      << "the name stands for what most read";
}

TEST(ApplyOnnx, RefusesAPlanForAnotherModel) {
  const auto refused = [](const std::function<void(Plan&)>& change) {
    Plan plan = small_plan();
    change(plan);
    return refusal(Errc::bad_input, plan);
  };
  EXPECT_THAT(refused([](Plan& p) { p.folds[0].op = "no"; }), HasSubstr("no op 'no'"));
  EXPECT_THAT(refused([](Plan& p) { p.folds[0].into = "n1"; }), HasSubstr("into itself"));
  EXPECT_THAT(refused([](Plan& p) { p.folds.push_back({"c1", "r1"}); }), HasSubstr("disappears"));
  EXPECT_THAT(refused([](Plan& p) {
                p.folds = {{"r1", "c1"}};
              }),
              HasSubstr("the value 'c1' disappears, and is read"));
  EXPECT_THAT(refused([](Plan& p) { p.activations[0].value = "no"; }), HasSubstr("value 'no'"));
  EXPECT_THAT(refused([](Plan& p) { p.activations[0].value = "c1"; }), HasSubstr("disappears"));
  EXPECT_THAT(refused([](Plan& p) { p.activations.push_back(p.activations[2]); }),
              HasSubstr("quantized twice"));
  EXPECT_THAT(refused([](Plan& p) { p.weights_quantized[0].weight = "no"; }),
              HasSubstr("no weight 'no'"));
  EXPECT_THAT(refused([](Plan& p) { p.weights_quantized[2].params.pop_back(); }),
              HasSubstr("2 channels, and 1 scales"));
  EXPECT_THAT(refused([](Plan& p) { p.weights_quantized[2].scheme.axis = 4; }),
              HasSubstr("no axis 4"));
  EXPECT_THAT(refused([](Plan& p) { p.input_edits[0].use.input = 1ULL << 60; }),
              HasSubstr("has no input"));
  EXPECT_THAT(refused([](Plan& p) { p.input_edits[0].weight = "no"; }), HasSubstr("weight 'no'"));
  EXPECT_THAT(refused([](Plan& p) { p.activations[0].uses[0].op = "n1"; }),
              HasSubstr("op 'n1' disappears"));
  EXPECT_THAT(refused([](Plan& p) { p.activations[0].scheme.dtype = DType::float32; }),
              HasSubstr("stores codes as float32"));
}

TEST(ApplyOnnx, WritesTheFileWithItsMetadata) {
  MemoryStore store;
  const Model model = model_of(small_graph());
  apply(model, small_plan(), {{"quantlens.version", "1"}, {"author", "me"}}, store, "out.onnx");
  ASSERT_EQ(store.files().size(), 1U);
  const Model after = model_of(store.files().at("out.onnx"));
  EXPECT_EQ(after.metadata.at("quantlens.version"), "1");
  EXPECT_EQ(after.metadata.at("author"), "me");
  EXPECT_EQ(store.files().at("out.onnx").size(), [&] {
    Edit edit = edit_for(model, small_plan());
    edit.metadata.insert({{"quantlens.version", "1"}, {"author", "me"}});
    return written(model, edit).size();
  }());
}

TEST(ApplyOnnx, LeavesNothingWhereAnyWriteFails) {
  const Model model = model_of(small_graph());
  for (int n = 0;; ++n) {
    MemoryStore store;
    store.fail_after(n);
    try {
      apply(model, small_plan(), {}, store, "out.onnx");
      EXPECT_GT(n, 10);
      return;
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(Errc::io));
      EXPECT_TRUE(store.files().empty());
    }
  }
}

}  // namespace
}  // namespace quantlens::onnx
