// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/frontend/onnx/wire.h"
#include "quantlens/tensor/half.h"

namespace quantlens::onnx {
namespace {

/// A graph whose one initializer is this TensorProto, named "w", and its only output.
Model with_tensor(Pieces tensor) {
  tensor.field(TensorProto::name, "w");
  Pieces graph;
  graph.field(GraphProto::initializer, std::move(tensor));
  graph.field(GraphProto::output, encode_value_info({"w", {}, {}}));
  return model_of(file_with(std::move(graph)));
}

Pieces tensor_head(int data_type, const Shape& shape) {
  Pieces out;
  for (const std::int64_t extent : shape) {
    out.varint_field(TensorProto::dims, static_cast<std::uint64_t>(extent));
  }
  out.varint_field(TensorProto::data_type, static_cast<std::uint64_t>(data_type));
  return out;
}

std::string packed(const std::vector<std::uint64_t>& values) {
  std::string out;
  for (const std::uint64_t value : values) {
    protozero::write_varint(std::back_inserter(out), value);
  }
  return out;
}

TEST(ReadOnnx, GivesNodesInOrderWithKindsNamesAndAttributes) {
  const Model model = model_of(small_graph());
  EXPECT_EQ(model.format, "onnx");
  EXPECT_EQ(model.opsets.at(""), 13);
  EXPECT_EQ(model.metadata.at("author"), "nobody");
  ASSERT_EQ(model.graph.nodes.size(), 7U);
  const Node& conv = model.graph.nodes[0];
  EXPECT_EQ(conv.name, "node_c1");
  EXPECT_EQ(conv.kind, Kind::conv);
  EXPECT_EQ(conv.inputs, (std::vector<std::string>{"x", "w1"}));
  EXPECT_EQ(attribute_ints(conv, "kernel_shape"), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(attribute_float(model.graph.nodes[1], "epsilon", 0), 0.5F);
  EXPECT_EQ(model.graph.nodes[6].kind, Kind::control_flow);
  EXPECT_EQ(model.graph.nodes[6].subgraphs.at("then_branch")->nodes[1].type, "Identity");
}

TEST(ReadOnnx, GivesShapesWithNumbersSymbolsAndUnknowns) {
  Graph graph = small_graph();
  graph.inputs[0].shape = {{dim("N"), dim(3), Dim(), dim(4)}};
  const ValueInfo x = model_of(graph).graph.inputs.at(0);
  EXPECT_EQ(x.dtype, DType::float32);
  EXPECT_EQ(x.shape, (std::vector<Dim>{dim("N"), dim(3), Dim(), dim(4)}));
  graph.inputs[0].shape = {{dim(-1)}};
  EXPECT_EQ(model_of(graph).graph.inputs[0].shape, std::vector<Dim>{Dim()});
}

TEST(ReadOnnx, LeavesInputsOutThatAreWeightsWithADefault) {
  Graph graph = small_graph();
  graph.inputs.push_back(float_value("w1", {}));
  const Model model = model_of(graph);
  ASSERT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(model.graph.inputs[0].name, "x");
}

TEST(ReadOnnx, KeepsEveryTypeOfAttribute) {
  Graph graph;
  graph.inputs = {float_value("x", {})};
  graph.nodes = {make_node("Any", {"x"}, {"y"},
                           {{"i", std::int64_t{-7}},
                            {"f", 1.5F},
                            {"s", std::string("text")},
                            {"ints", std::vector<std::int64_t>{-1, 1LL << 40}},
                            {"floats", std::vector<float>{1, -2}},
                            {"strings", std::vector<std::string>{"a", ""}},
                            {"t", Tensor::from<std::int64_t>({2}, {3, 4})}})};
  graph.nodes[0].domain = "some.domain";
  const Model model = model_of(graph, {{"", 13}, {"some.domain", 2}});
  const Node& node = model.graph.nodes[0];
  EXPECT_EQ(node.kind, Kind::other);
  EXPECT_EQ(node.domain, "some.domain");
  EXPECT_EQ(attribute_int(node, "i", 0), -7);
  EXPECT_EQ(attribute_float(node, "f", 0), 1.5F);
  EXPECT_EQ(attribute_string(node, "s", ""), "text");
  EXPECT_EQ(attribute_ints(node, "ints"), (std::vector<std::int64_t>{-1, 1LL << 40}));
  EXPECT_EQ(std::get<std::vector<float>>(node.attributes.at("floats")),
            (std::vector<float>{1, -2}));
  EXPECT_EQ(std::get<std::vector<std::string>>(node.attributes.at("strings")),
            (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(to_int64(std::get<Tensor>(node.attributes.at("t"))), (std::vector<std::int64_t>{3, 4}));
}

TEST(ReadOnnx, GuessesTheTypeOfAnAttributeThatOldFilesLeaveOut) {
  Pieces attribute;
  attribute.field(AttributeProto::name, "axis");
  attribute.varint_field(AttributeProto::i, 3);
  Pieces node = encode_node(make_node("Concat", {}, {"y"}));
  node.field(NodeProto::attribute, std::move(attribute));
  Pieces graph;
  graph.field(GraphProto::node, std::move(node));
  EXPECT_EQ(attribute_int(model_of(file_with(std::move(graph))).graph.nodes[0], "axis", 0), 3);
}

TEST(ReadOnnx, KeepsWeightsAsViewsOfTheFile) {
  const Model model = model_of(small_graph());
  const Tensor& weight = model.graph.weights.at("w1");
  EXPECT_GE(weight.bytes().data(), model.file.bytes().data());
  EXPECT_LE(weight.bytes().data() + weight.bytes().size(),
            model.file.bytes().data() + model.file.bytes().size());
  EXPECT_EQ(aligned(weight).data<float>()[1], -0.75F);
}

TEST(ReadOnnx, ReadsFloatsPackedAndOneByOne) {
  const float values[] = {1.5F, -2.0F};
  Pieces one_piece = tensor_head(1, {2});
  one_piece.field(TensorProto::float_data, as_text(std::as_bytes(std::span(values))));
  Pieces one_by_one = tensor_head(1, {2});
  for (const float& value : values) {
    one_by_one.text("\x25");
    one_by_one.text(as_text(std::as_bytes(std::span(&value, 1))));
  }
  for (Pieces* tensor : {&one_piece, &one_by_one}) {
    const Model model = with_tensor(std::move(*tensor));
    const Tensor read = aligned(model.graph.weights.at("w"));
    EXPECT_EQ(read.data<float>()[0], 1.5F);
    EXPECT_EQ(read.data<float>()[1], -2.0F);
  }
}

TEST(ReadOnnx, ReadsEveryTypedDataField) {
  const std::uint64_t minus_two = static_cast<std::uint64_t>(-2);
  struct Case {
    int data_type;
    std::uint32_t field;
    std::vector<std::uint64_t> stored;
    std::vector<std::int64_t> values;
  };
  const Case cases[] = {
      {2, TensorProto::int32_data, {255, 1}, {255, 1}},
      {3, TensorProto::int32_data, {minus_two, 127}, {-2, 127}},
      {4, TensorProto::int32_data, {65535, 1}, {65535, 1}},
      {5, TensorProto::int32_data, {minus_two, 1}, {-2, 1}},
      {6, TensorProto::int32_data, {minus_two, 1}, {-2, 1}},
      {7, TensorProto::int64_data, {minus_two, 1ULL << 40U}, {-2, 1LL << 40}},
      {9, TensorProto::int32_data, {1, 0}, {1, 0}},
      {12, TensorProto::uint64_data, {4000000000, 1}, {4000000000, 1}},
      {13, TensorProto::uint64_data, {1ULL << 40U, 1}, {1LL << 40, 1}},
      {21, TensorProto::int32_data, {0xF1}, {1, 15}},
      {22, TensorProto::int32_data, {0xF1}, {1, -1}},
  };
  for (const Case& c : cases) {
    Pieces one_piece = tensor_head(c.data_type, {2});
    one_piece.field(c.field, packed(c.stored));
    EXPECT_EQ(to_int64(with_tensor(std::move(one_piece)).graph.weights.at("w")), c.values);
    Pieces one_by_one = tensor_head(c.data_type, {2});
    for (const std::uint64_t value : c.stored) one_by_one.varint_field(c.field, value);
    EXPECT_EQ(to_int64(with_tensor(std::move(one_by_one)).graph.weights.at("w")), c.values);
  }
}

TEST(ReadOnnx, ReadsHalvesDoublesAndStrings) {
  Pieces half = tensor_head(10, {1});
  half.varint_field(TensorProto::int32_data, half_from_float(0.5F));
  EXPECT_EQ(to_float32(with_tensor(std::move(half)).graph.weights.at("w")).data<float>()[0], 0.5F);
  const double value = 0.1;
  Pieces doubles = tensor_head(11, {1});
  doubles.field(TensorProto::double_data, as_text(std::as_bytes(std::span(&value, 1))));
  EXPECT_EQ(aligned(with_tensor(std::move(doubles)).graph.weights.at("w")).data<double>()[0], 0.1);
  Pieces strings = tensor_head(8, {2});
  strings.field(TensorProto::string_data, "one");
  strings.field(TensorProto::string_data, "two");
  EXPECT_EQ(with_tensor(std::move(strings)).graph.weights.at("w").strings(),
            (std::vector<std::string>{"one", "two"}));
}

TEST(ReadOnnx, UnpacksHalfBytesWithAnOddCount) {
  Pieces tensor = tensor_head(22, {3});
  tensor.field(TensorProto::raw_data, "\x8F\x07");
  EXPECT_EQ(to_int64(with_tensor(std::move(tensor)).graph.weights.at("w")),
            (std::vector<std::int64_t>{-1, -8, 7}));
}

TEST(ReadOnnx, KnowsWeightsOfOtherElementTypesByNameOnly) {
  Pieces tensor = tensor_head(17, {3});  // FLOAT8E4M3FN
  tensor.field(TensorProto::raw_data, "abc");
  const Model model = with_tensor(std::move(tensor));
  EXPECT_TRUE(model.graph.weights.empty());
  EXPECT_TRUE(model.graph.opaque_weights.contains("w"));
}

TEST(ReadOnnx, KnowsSparseWeightsByNameOnly) {
  Pieces values = tensor_head(1, {0});
  values.field(TensorProto::name, "s");
  Pieces sparse;
  sparse.field(SparseTensorProto::values, std::move(values));
  Pieces graph;
  graph.field(GraphProto::sparse_initializer, std::move(sparse));
  graph.field(GraphProto::node, encode_node(make_node("Relu", {"s"}, {"y"})));
  EXPECT_TRUE(model_of(file_with(std::move(graph))).graph.opaque_weights.contains("s"));
}

TEST(ReadOnnx, TakesTheTwoNamesOfTheDefaultOperatorSetForOne) {
  Node node = make_node("Relu", {"x"}, {"y"});
  node.domain = "ai.onnx";
  Graph graph;
  graph.inputs = {float_value("x", {})};
  graph.nodes = {node};
  const Model model = model_of(graph, {{"ai.onnx", 15}});
  EXPECT_EQ(model.opsets.at(""), 15);
  EXPECT_EQ(model.graph.nodes[0].kind, Kind::relu);
  EXPECT_EQ(model.graph.nodes[0].domain, "");
}

TEST(ReadOnnx, KnowsTheIntegerOpsOfOnnxRuntime) {
  Node node = make_node("QLinearAdd", {"x"}, {"y"});
  node.domain = "com.microsoft";
  Graph graph;
  graph.inputs = {float_value("x", {})};
  graph.nodes = {node, make_node("QLinearAdd", {"x"}, {"z"})};
  const Model model = model_of(graph, {{"", 13}, {"com.microsoft", 1}});
  EXPECT_EQ(model.graph.nodes[0].kind, Kind::qadd);
  EXPECT_EQ(model.graph.nodes[1].kind, Kind::other) << "no such op in ONNX itself";
}

TEST(ReadOnnx, DoesNotTakeALocalFunctionForTheOpOfThatName) {
  Pieces function;
  function.field(FunctionProto::name, "Relu");
  std::string bytes = serialize(small_graph(), {{"", 13}});
  Pieces tail;
  tail.field(ModelProto::functions, std::move(function));
  const Model model = model_of(bytes + tail.str());
  EXPECT_EQ(model.graph.nodes[2].type, "Relu");
  EXPECT_EQ(model.graph.nodes[2].kind, Kind::other);
}

}  // namespace
}  // namespace quantlens::onnx
