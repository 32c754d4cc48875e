// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

using testing::HasSubstr;

/// small_graph with other names of its input and batch size.
Graph other_graph() {
  Graph graph = small_graph();
  graph.inputs[0] = float_value("image", {dim("batch"), dim(3), dim(4), dim(4)});
  graph.nodes[0].inputs[0] = "image";
  graph.values["r1"] = float_value("r1", {dim("batch"), dim("inner")});
  return graph;
}

std::string merged(const Model& first, const Model& second, const Edit& edit_first = {},
                   const Edit& edit_second = {}) {
  return merge(first, edit_first, second, edit_second, "q/", {});
}

std::string refusal(const Model& first, const Model& second) {
  return sentence_of(Errc::unsupported, [&] { merged(first, second); });
}

const Node& node_making(const Graph& graph, const std::string& value) {
  return *std::ranges::find(graph.nodes, value, [](const Node& node) { return op_id(node); });
}

TEST(MergeOnnx, PrefixesEveryNameOfTheSecondButItsInputs) {
  const Graph graph = model_of(merged(model_of(small_graph()), model_of(other_graph()))).graph;
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.nodes.size(), 14U);
  EXPECT_EQ(graph.weights.size(), 12U);
  const Node& conv = node_making(graph, "q/c1");
  EXPECT_EQ(conv.name, "q/node_c1");
  EXPECT_EQ(conv.inputs, (std::vector<std::string>{"x", "q/w1"}));
  const Node& choice = node_making(graph, "q/z");
  EXPECT_EQ(captured_values(choice), std::vector<std::string>{"q/r1"});
  const Graph& branch = *choice.subgraphs.at("then_branch");
  EXPECT_EQ(branch.nodes[0].name, "q/node_Identity_sum");
  EXPECT_EQ(branch.nodes[0].inputs, (std::vector<std::string>{"q/r1", "q/offset"}));
  EXPECT_TRUE(branch.weights.contains("q/offset"));
  EXPECT_TRUE(branch.values.contains("q/r1"));
  std::vector<std::string> outputs;
  for (const ValueInfo& output : graph.outputs) outputs.push_back(output.name);
  EXPECT_EQ(outputs, (std::vector<std::string>{"y", "z", "q/y", "q/z"}));
}

TEST(MergeOnnx, KeepsTheSymbolsOfExtentsApartExceptThoseOfInputs) {
  const Graph graph = model_of(merged(model_of(small_graph()), model_of(other_graph()))).graph;
  EXPECT_EQ(graph.values.at("q/r1").shape, (std::vector<Dim>{dim("N"), dim("q/inner")}));
  EXPECT_EQ(graph.values.at("n1").shape->at(0), dim("N"));
}

TEST(MergeOnnx, CopiesTheFirstByteForByteAndKeepsUnknownFieldsOfTheSecond) {
  const std::string first = with_unknown_fields(model_of(small_graph()).file.text());
  const std::string second = with_unknown_fields(model_of(other_graph()).file.text());
  const std::string bytes = merged(model_of(first), model_of(second));
  for (const auto& [name, field] : node_bytes(first)) EXPECT_EQ(node_bytes(bytes).at(name), field);
  for (const auto& [name, field] : weight_bytes(first)) {
    EXPECT_EQ(weight_bytes(bytes).at(name), field);
  }
  const auto nodes = node_bytes(bytes);
  EXPECT_THAT(nodes.at("q/z"), HasSubstr("seed"));
}

TEST(MergeOnnx, AppliesBothEditsEachWithItsOwnNames) {
  Edit first, second;
  first.removed = {2};
  first.inserted.emplace(2, make_node("Identity", {"n1"}, {"r1"}));
  second.inputs[2][0] = "doubled";
  second.inserted.emplace(2, make_node("Add", {"n1", "two"}, {"doubled"}));
  second.weights = {{"two", Tensor::scalar(2.0F)}};
  second.outputs_added = {{"doubled", {}, {}}};
  const Graph graph =
      model_of(merged(model_of(small_graph()), model_of(other_graph()), first, second)).graph;
  EXPECT_EQ(node_making(graph, "r1").type, "Identity");
  EXPECT_EQ(node_making(graph, "q/r1").inputs[0], "q/doubled");
  EXPECT_EQ(node_making(graph, "q/doubled").inputs, (std::vector<std::string>{"q/n1", "q/two"}));
  EXPECT_EQ(graph.outputs.back().name, "q/doubled");
}

TEST(MergeOnnx, LetsAnInsertedNodeReadBothModelsAndSortsTheNodes) {
  Edit first, second;
  first.inputs[4][0] = "r1_seen";  // the first waits for a node that waits for the second
  second.inputs[4][0] = "r1_seen";
  second.inserted.emplace(0, make_node("Compare", {"\1r1", "r1"}, {"\1r1_seen", "r1_seen"}));
  const Model model =
      model_of(merged(model_of(small_graph()), model_of(other_graph()), first, second));
  const Node& compare = node_making(model.graph, "r1_seen");
  EXPECT_EQ(compare.inputs, (std::vector<std::string>{"r1", "q/r1"}));
  EXPECT_EQ(compare.outputs, (std::vector<std::string>{"r1_seen", "q/r1_seen"}));
  EXPECT_EQ(node_making(model.graph, "y").inputs[0], "r1_seen");
  EXPECT_EQ(node_making(model.graph, "q/y").inputs[0], "q/r1_seen");
}

TEST(MergeOnnx, RefusesACycleAndNamesANodeOfIt) {
  Edit first, second;
  first.inputs[2][0] = "n1_seen";
  second.inputs[0][0] = "x_seen";
  second.inserted.emplace(0, make_node("Compare", {"\1n1", "r1"}, {"\1n1_seen", "n1_seen"}));
  second.inserted.emplace(0, make_node("Compare", {"\1r1", "image"}, {"\1r1_seen", "x_seen"}));
  const std::string sentence = sentence_of(Errc::unsupported, [&] {
    merged(model_of(small_graph()), model_of(other_graph()), first, second);
  });
  EXPECT_THAT(sentence, HasSubstr("the two models cannot be one: the nodes form a cycle through"));
}

TEST(MergeOnnx, UnitesOperatorSetsAndRefusesTwoVersionsOfOneInUse) {
  const Model first = model_of(small_graph(), {{"", 13}, {"a", 1}, {"ai.onnx.ml", 2}});
  const Model second = model_of(small_graph(), {{"", 13}, {"b", 4}, {"ai.onnx.ml", 3}});
  EXPECT_EQ(model_of(merged(first, second)).opsets,
            (std::map<std::string, std::int64_t>{{"", 13}, {"a", 1}, {"b", 4}, {"ai.onnx.ml", 2}}));
  EXPECT_THAT(refusal(first, model_of(small_graph(), {{"", 14}})),
              HasSubstr("versions 13 and 14 of operator set 'ai.onnx'"));
}

TEST(MergeOnnx, RefusesInputsThatDoNotAgree) {
  const Model model = model_of(small_graph());
  Graph other = small_graph();
  other.inputs.push_back(float_value("more", {}));
  EXPECT_THAT(refusal(model, model_of(other)), HasSubstr("1 and 2 inputs"));
  other = small_graph();
  other.inputs[0].dtype = DType::float16;
  EXPECT_THAT(refusal(model, model_of(other)), HasSubstr("'x' (float32 [N,3,4,4])"));
  other = small_graph();
  other.inputs[0].shape->at(2) = dim(5);
  EXPECT_THAT(refusal(model, model_of(other)), HasSubstr("[N,3,5,4]"));
}

TEST(MergeOnnx, RefusesAPrefixThatIsTaken) {
  Graph first = small_graph();
  first.nodes.push_back(make_node("Identity", {"x"}, {"q/r1"}));
  EXPECT_THAT(refusal(model_of(first), model_of(small_graph())), HasSubstr("value 'q/r1'"));
}

std::string with_function(const Graph& graph, const std::string& name, const std::string& body) {
  Pieces function;
  function.field(FunctionProto::name, name);
  function.field(FunctionProto::domain, "local");
  function.field(8, body);  // doc_string
  Pieces tail;
  tail.field(ModelProto::functions, std::move(function));
  return serialize(graph, {{"", 13}, {"local", 1}}) + tail.str();
}

TEST(MergeOnnx, KeepsTheFunctionsOfBothAndRefusesTwoOfOneName) {
  const Model first = model_of(with_function(small_graph(), "f", "one"));
  const auto functions = [&](const Model& second) {
    return split_model(merged(first, second)).functions.size();
  };
  EXPECT_EQ(functions(model_of(with_function(small_graph(), "f", "one"))), 1U);
  EXPECT_EQ(functions(model_of(with_function(small_graph(), "g", "one"))), 2U);
  EXPECT_THAT(refusal(first, model_of(with_function(small_graph(), "f", "two"))),
              HasSubstr("define the function 'f' differently"));
}

TEST(MergeOnnx, DoesNotTakeAFieldOfAnotherWireTypeForANode) {
  Pieces graph;
  graph.varint_field(GraphProto::node, 1);
  graph.append(encode_graph(small_graph()));
  const Model model = model_of(file_with(std::move(graph)));
  EXPECT_EQ(model_of(merged(model, model)).graph.nodes.size(), 14U);
}

TEST(MergeOnnx, AsksForWeightsOutsideByTheirFinalNames) {
  std::set<std::string> asked;
  const WriteOptions options{[&](const std::string& name, const Tensor&) {
    asked.insert(name);
    return name == "q/w1";
  }};
  const std::string bytes =
      merge(model_of(small_graph()), {}, model_of(small_graph()), {}, "q/", options);
  EXPECT_TRUE(asked.contains("w1") && asked.contains("q/w1"));
  EXPECT_THAT(weight_bytes(bytes).at("q/w1"), HasSubstr("quantlens"));
}

TEST(MergeOnnx, TurnsDefaultsOfOldFormatsIntoConstants) {
  Pieces graph = encode_graph(small_graph());
  for (const auto& [name, weight] : small_graph().weights) {
    graph.field(GraphProto::input, encode_value_info(float_value(name, {})));
  }
  const Model old = model_of(file_with(std::move(graph), 3));
  const std::string bytes = merged(old, old);
  std::size_t inputs = 0;
  const ModelParts parts = split_model(bytes);
  Fields fields(*parts.graph);
  for (Field field; fields.next(field);) {
    inputs += field.key == bytes_key(GraphProto::input) ? 1 : 0;
  }
  EXPECT_EQ(inputs, 1U);
  EXPECT_EQ(parts.ir_version, 4);
}

}  // namespace
}  // namespace quantlens::onnx
