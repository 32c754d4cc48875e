// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& bytes) {
  return sentence_of(Errc::bad_input, [&] { model_of(bytes); });
}

std::string refusal(const Graph& graph) {
  return refusal(serialize(graph, {{"", 13}}));
}

/// Reads the bytes and, where that works, copies them: an Error or the same bytes, nothing else.
void read_and_copy(const std::string& bytes) {
  try {
    const Model model = model_of(bytes);
    ASSERT_EQ(written(model, {}), bytes);
  } catch (const Error&) {
    SUCCEED();
  }
}

TEST(HostileOnnx, CutAnywhereIsRefusedOrSound) {
  const std::string bytes = with_unknown_fields(serialize(small_graph(), {{"", 13}}));
  for (std::size_t size = 0; size < bytes.size(); ++size) read_and_copy(bytes.substr(0, size));
}

TEST(HostileOnnx, WithAnyBitFlippedIsRefusedOrSound) {
  std::string bytes = serialize(small_graph(), {{"", 13}}, {{"key", "value"}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(static_cast<unsigned char>(before) ^ (1U << bit));
      read_and_copy(bytes);
      bytes[i] = before;
    }
  }
}

TEST(HostileOnnx, IsRefusedInOneSentenceThatNamesTheFileAndTheNextStep) {
  const std::string sentence = refusal(std::string("\x08\x08\x3A\x7F", 4));
  EXPECT_THAT(sentence, StartsWith("small.onnx: not a sound ONNX file: "));
  EXPECT_THAT(sentence, HasSubstr("; re-export or re-download it"));
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
}

TEST(HostileOnnx, WithoutAGraphAVersionOrOperatorsIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("\x08\x08"), HasSubstr("no graph"));
  EXPECT_THAT(refusal(std::string("\x3A\x00", 2)), HasSubstr("format version 0 is impossible"));
  EXPECT_THAT(refusal(file_with(encode_graph(small_graph()), 8, 0)),
              HasSubstr("which version of the ONNX operators"));
  EXPECT_THAT(refusal(file_with(encode_graph(small_graph()), 8, 1'000'000)),
              HasSubstr("version 1000000 of operator set '' is impossible"));
  const std::string twice = file_with(encode_graph(small_graph()));
  EXPECT_THAT(refusal(twice + twice), HasSubstr("two graphs"));
}

TEST(HostileOnnx, FromBeforeOperatorSetsHasVersionOne) {
  EXPECT_EQ(model_of(file_with(encode_graph(small_graph()), 2, 0)).opsets.at(""), 1);
}

TEST(HostileOnnx, WithNodesInACycleOrValuesThatNothingMakesIsRefused) {
  Graph graph = small_graph();
  graph.nodes[0].inputs[0] = "y";
  EXPECT_THAT(refusal(graph), HasSubstr("cycle through"));
  graph = small_graph();
  graph.nodes[0].inputs[0] = "ghost";
  EXPECT_THAT(refusal(graph), HasSubstr("reads 'ghost', which nothing makes"));
  graph = small_graph();
  graph.outputs.push_back(float_value("ghost", {}));
  EXPECT_THAT(refusal(graph), HasSubstr("nothing makes the output 'ghost'"));
}

TEST(HostileOnnx, WithOneNameForTwoValuesIsRefused) {
  Graph graph = small_graph();
  graph.nodes[2].outputs[0] = "n1";
  EXPECT_THAT(refusal(graph), HasSubstr("output 'n1' has a name that is taken already"));
  graph = small_graph();
  graph.nodes[2].outputs[0] = "w1";
  EXPECT_THAT(refusal(graph), HasSubstr("'w1' has a name that is taken"));
  graph = small_graph();
  graph.inputs.push_back(graph.inputs[0]);
  EXPECT_THAT(refusal(graph), HasSubstr("input 'x' has a name that is taken"));
}

TEST(HostileOnnx, WithNodesThatMakeNothingIsRefused) {
  Graph graph = small_graph();
  graph.nodes[2].outputs = {""};
  EXPECT_THAT(refusal(graph), HasSubstr("the Relu node 'node_r1' makes nothing"));
  graph.nodes[2].type = "";
  EXPECT_THAT(refusal(graph), HasSubstr("a node has no operator"));
}

/// A tensor of float32 with this shape and this many bytes.
std::string tensor_file(const Shape& shape, std::size_t bytes) {
  Pieces tensor;
  for (const std::int64_t extent : shape) {
    tensor.varint_field(TensorProto::dims, static_cast<std::uint64_t>(extent));
  }
  tensor.varint_field(TensorProto::data_type, 1);
  tensor.field(TensorProto::name, "w");
  tensor.field(TensorProto::raw_data, std::string(bytes, '\0'));
  Pieces graph;
  graph.field(GraphProto::initializer, std::move(tensor));
  return file_with(std::move(graph));
}

TEST(HostileOnnx, WithShapesThatDoNotFitTheirDataIsRefused) {
  EXPECT_THAT(refusal(tensor_file({2, 2}, 15)),
              HasSubstr("'w' of shape [2,2] needs 16 bytes, and there are 15"));
  EXPECT_THAT(refusal(tensor_file({-1}, 4)), HasSubstr("impossible shape [-1]"));
  EXPECT_THAT(refusal(tensor_file({1LL << 62, 4}, 4)), HasSubstr("impossible shape"));
  EXPECT_THAT(refusal(tensor_file({1LL << 61}, 4)), HasSubstr("'w'"));
  EXPECT_EQ(model_of(tensor_file({0, 7}, 0)).graph.weights.at("w").size(), 0);
}

Graph nested(int depth) {
  Graph graph;
  graph.nodes = {make_node("Constant", {}, {"leaf" + std::to_string(depth)},
                           {{"value", Tensor::scalar(1.0F)}})};
  if (depth == 0) return graph;
  Node node = make_node("Loop", {}, {"out" + std::to_string(depth)});
  node.subgraphs["body"] = std::make_shared<const Graph>(nested(depth - 1));
  graph.nodes.push_back(std::move(node));
  return graph;
}

TEST(HostileOnnx, NestedDeeperThanTheLimitIsRefused) {
  EXPECT_EQ(model_of(nested(kMostNesting)).graph.nodes.size(), 2U);
  EXPECT_THAT(refusal(nested(kMostNesting + 1)), HasSubstr("nested more than 32 deep"));
}

TEST(HostileOnnx, WithAnAttributeThatHoldsMoreThanItsTypeSaysIsRefused) {
  Pieces attribute;
  attribute.field(AttributeProto::name, "both");
  attribute.varint_field(AttributeProto::i, 1);
  attribute.field(AttributeProto::g, encode_graph(small_graph()));
  attribute.varint_field(AttributeProto::type, 2);
  Pieces node = encode_node(make_node("Any", {}, {"y"}));
  node.field(NodeProto::attribute, std::move(attribute));
  Pieces graph;
  graph.field(GraphProto::node, std::move(node));
  EXPECT_THAT(refusal(file_with(std::move(graph))),
              HasSubstr("'both' has a value that is not of its type"));
}

TEST(HostileOnnx, WithGarbageWhereReadingDoesNotLookIsRefusedWhenItIsWritten) {
  Pieces attribute;
  attribute.field(AttributeProto::name, "list");
  attribute.field(AttributeProto::tensors, "\xFF\xFF\xFF");
  attribute.varint_field(AttributeProto::type, 9);
  Pieces node = encode_node(make_node("Any", {}, {"y"}));
  node.field(NodeProto::attribute, std::move(attribute));
  Pieces graph;
  graph.field(GraphProto::node, std::move(node));
  const Model model = model_of(file_with(std::move(graph)));
  EXPECT_THAT(sentence_of(Errc::bad_input, [&] { written(model, {}); }),
              HasSubstr("not a sound ONNX file"));
}

TEST(HostileOnnx, WithNamesThatAreNoTextIsRefusedInPrintableWords) {
  Graph graph = small_graph();
  graph.nodes[0].inputs[0] = "gh\x1B[2Jost\xFF";
  const std::string sentence = refusal(graph);
  EXPECT_THAT(sentence, HasSubstr("gh?[2Jost?"));
}

}  // namespace
}  // namespace quantlens::onnx
