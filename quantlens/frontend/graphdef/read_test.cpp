// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"
#include "quantlens/graph/outline.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Tensor constant_of(const std::string& message) {
  GraphBytes graph;
  graph.constant("c", message).node("y", "Identity", {"c"}, kOfFloats);
  return aligned(graph.read().graph.weights.at("c"));
}

TEST(GraphDef, BeginsAtItsPlaceholdersAndKeepsConstantsAsWeights) {
  const Model model = small_network().read();
  EXPECT_EQ(model.format, "graphdef");
  ASSERT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(outline(model.graph.inputs[0]),
            (ValueOutline{.name = "image", .dtype = "float32", .shape = "[?,8,8,2]"}));
  EXPECT_EQ(model.graph.weights.size(), 5U);
  EXPECT_THAT(types_of(model.graph.nodes),
              ElementsAre("Identity", "Conv2D", "BiasAdd", "FusedBatchNormV3", "Relu6", "MaxPool"));
  EXPECT_EQ(model.vocabulary.version, "producer 1286");
}

TEST(GraphDef, GivesWhatNobodyReads) {
  GraphBytes graph;
  graph.input("x", {2})
      .node("a", "Relu", {"x"}, kOfFloats)
      .node("b", "Neg", {"a"}, kOfFloats)
      .node("c", "Abs", {"a"}, kOfFloats);
  EXPECT_THAT(names_of(graph.read().graph.outputs), ElementsAre("b", "c"));
}

TEST(GraphDef, DoesNotGiveWhatIsForChecksFilesAndPeople) {
  GraphBytes graph;
  graph.input("x", {2})
      .constant("tag", varints(kString, {}, 8, {}, false))
      .node("y", "Relu", {"x"}, kOfFloats)
      .node("is_finite", "IsFinite", {"x"}, kOfFloats)
      .node("all", "All", {"is_finite"})
      .node("check", "Assert", {"all"})
      .node("shown", "HistogramSummary", {"tag", "y"})
      .node("final", "Identity", {"y"}, kOfFloats)
      .node("restored", "RestoreV2", {"tag", "tag", "tag"}, {{"dtypes", types({kFloat})}})
      .node("done", "NoOp", {"^check"});
  const Graph read = graph.read().graph;
  EXPECT_THAT(names_of(read.outputs), ElementsAre("final"));
  EXPECT_THAT(types_of(read.nodes), UnorderedElementsAre("Relu", "IsFinite", "All", "Identity",
                                                         "HistogramSummary", "RestoreV2"))
      << "nodes without results stay in the file";
}

TEST(GraphDef, DoesNotGiveConstantsThatNobodyReads) {
  GraphBytes graph;
  graph.input("x", {2})
      .constant("c", floats({1}, {1}))
      .node("c/read", "Identity", {"c"}, kOfFloats)
      .node("y", "Relu", {"x", "^c/read"}, kOfFloats);
  EXPECT_THAT(names_of(graph.read().graph.outputs), ElementsAre("y"));
}

TEST(GraphDef, EndsAtWhatItsReturnsRead) {
  GraphBytes graph;
  graph.node("arg", "_Arg", {}, {{"T", type(kFloat)}})
      .node("y", "Relu", {"arg"}, kOfFloats)
      .node("ret", "_Retval", {"y"}, kOfFloats);
  const Graph read = graph.read().graph;
  EXPECT_THAT(names_of(read.inputs), ElementsAre("arg"));
  EXPECT_THAT(names_of(read.outputs), ElementsAre("y"));
}

TEST(GraphDef, NamesFurtherResultsByTheirNumbers) {
  GraphBytes graph;
  graph.input("x", {4})
      .constant("axis", integers({}, {0}))
      .node("s", "Split", {"axis", "x"}, {{"T", type(kFloat)}, {"num_split", number(3)}})
      .node("y", "Relu", {"s:2"}, kOfFloats)
      .node("z", "Relu", {"s:0"}, kOfFloats);
  const Graph read = graph.read().graph;
  EXPECT_THAT(maker(read, "s").outputs, ElementsAre("s", "s:1", "s:2"));
  EXPECT_THAT(maker(read, "y").inputs, ElementsAre("s:2"));
  EXPECT_THAT(maker(read, "z").inputs, ElementsAre("s"));
}

TEST(GraphDef, CountsResultsOfUnknownOpsByTheirReaders) {
  GraphBytes graph;
  graph.input("x", {4}).node("own", "MyOp", {"x"}).node("y", "Relu", {"own:2"}, kOfFloats);
  EXPECT_THAT(maker(graph.read().graph, "own:2").outputs, ElementsAre("own:2"));
  GraphBytes unread;
  unread.input("x", {4}).node("own", "MyOp", {"x"});
  EXPECT_THAT(names_of(unread.read().graph.outputs), ElementsAre("own"));
}

TEST(GraphDef, IsSortedWhereTheFileIsNot) {
  GraphBytes graph;
  graph.node("z", "Relu", {"y"}, kOfFloats)
      .node("y", "Neg", {"x"}, kOfFloats)
      .node("after", "Abs", {"x", "^z"}, kOfFloats)
      .input("x", {4});
  const Graph read = graph.read().graph;
  EXPECT_THAT(types_of(read.nodes), ElementsAre("Neg", "Relu", "Abs"));
}

TEST(GraphDef, KeepsControlEdgesAsNotesOfTheNode) {
  GraphBytes graph;
  graph.input("x", {4})
      .node("before", "Abs", {"x"}, kOfFloats)
      .node("y", "Relu", {"x", "^before"}, kOfFloats, "/cpu:0");
  const Node node = maker(graph.read().graph, "y");
  EXPECT_THAT(node.inputs, ElementsAre("x"));
  EXPECT_THAT(std::get<std::vector<std::string>>(node.attributes.at("control_inputs")),
              ElementsAre("before"));
  EXPECT_EQ(attribute_string(node, "device", ""), "/cpu:0");
}

TEST(GraphDef, CutsALoopWhereItHandsOnToItsNextRound) {
  GraphBytes graph;
  graph.input("x", {})
      .node("enter", "Enter", {"x"}, kOfFloats)
      .node("merge", "Merge", {"enter", "next"}, {{"T", type(kFloat)}, {"N", number(2)}})
      .node("body", "Neg", {"merge"}, kOfFloats)
      .node("next", "NextIteration", {"body"}, kOfFloats)
      .node("exit", "Exit", {"body"}, kOfFloats);
  const Graph read = graph.read().graph;
  EXPECT_THAT(maker(read, "merge").inputs, ElementsAre("enter", ""));
  EXPECT_EQ(attribute_string(maker(read, "merge"), "next_iteration", ""), "next");
  EXPECT_THAT(names_of(read.outputs), ElementsAre("exit"));
}

TEST(GraphDef, SaysAttributesInWords) {
  GraphBytes graph;
  graph.input("x", {4}).node("y", "MyOp", {"x"},
                             {{"i", number(-3)},
                              {"f", real(0.5F)},
                              {"b", flag(true)},
                              {"s", text("SAME")},
                              {"t", type(kHalf)},
                              {"unknown", type(99)},
                              {"shape", shape({1, -1})},
                              {"rankless", unknown_shape()},
                              {"ints", numbers({1, 2})},
                              {"types", types({kFloat, kInt32})},
                              {"tensor", tensor(floats({2}, {1, 2}))},
                              {"func", function("f")}});
  const Node node = maker(graph.read().graph, "y");
  EXPECT_EQ(attribute_int(node, "i", 0), -3);
  EXPECT_EQ(attribute_float(node, "f", 0), 0.5F);
  EXPECT_EQ(attribute_int(node, "b", 0), 1);
  EXPECT_EQ(attribute_string(node, "s", ""), "SAME");
  EXPECT_EQ(attribute_string(node, "t", ""), "float16");
  EXPECT_EQ(attribute_string(node, "unknown", ""), "type 99");
  EXPECT_EQ(attribute_string(node, "shape", ""), "[1,?]");
  EXPECT_EQ(attribute_string(node, "rankless", ""), "?");
  EXPECT_THAT(attribute_ints(node, "ints"), ElementsAre(1, 2));
  EXPECT_THAT(std::get<std::vector<std::string>>(node.attributes.at("types")),
              ElementsAre("float32", "int32"));
  EXPECT_THAT(std::get<Tensor>(node.attributes.at("tensor")).shape(), ElementsAre(2));
  EXPECT_EQ(attribute_string(node, "func", ""), "f");
}

TEST(GraphDef, TakesAScalarForAnUnknownShapeBelowProducer22) {
  for (const std::int64_t version : {0, 21, 22}) {
    GraphBytes graph;
    graph.producer(version).input("x", {}).node("y", "Relu", {"x"}, kOfFloats);
    EXPECT_EQ(graph.read().graph.inputs[0].shape.has_value(), version == 22) << version;
  }
}

TEST(GraphDef, KnowsTheShapesThatItsNotesSay) {
  GraphBytes graph;
  graph.input("x", {4}).node("y", "MyOp", {"x"}, {{"_output_shapes", shapes({{2, 3}})}});
  const GraphOutline drawn = outline(graph.read().graph);
  EXPECT_EQ(drawn.outputs.at(0).shape, "[2,3]");
}

TEST(GraphDef, FollowsShapesAndTypesWithChannelsLast) {
  const GraphOutline drawn = outline(small_network().read().graph);
  const auto shape_of = [&](const std::string& name) {
    for (const ValueOutline& value : drawn.values) {
      if (value.name == name) return value.dtype + value.shape;
    }
    return std::string();
  };
  EXPECT_EQ(shape_of("conv"), "float32[?,4,4,3]");
  EXPECT_EQ(shape_of("norm"), "float32[?,4,4,3]");
  EXPECT_EQ(drawn.outputs.at(0),
            (ValueOutline{.name = "pool", .dtype = "float32", .shape = "[?,2,2,3]"}));
}

TEST(GraphDef, IsDrawnWithScopesOfItsBodies) {
  GraphBytes graph;
  graph.define({.name = "body",
                .inputs = {"v"},
                .outputs = {"r"},
                .nodes = {node_bytes("inner/neg", "Neg", {"v"}, kOfFloats)},
                .returned = {{"r", "inner/neg:y:0"}}});
  graph.input("x", {4}).node(
      "model/loop", "StatelessWhile", {"x"},
      {{"cond", function("body")}, {"body", function("body")}, {"T", types({kFloat})}});
  const GraphOutline drawn = outline(graph.read().graph);
  ASSERT_EQ(drawn.ops.size(), 3U);
  EXPECT_EQ(drawn.ops[0].kind, Kind::control_flow);
  EXPECT_EQ(drawn.ops[1].op, "model/loop/inner/neg");
  EXPECT_EQ(drawn.ops[1].scope, "model/loop");
  EXPECT_THAT(drawn.ops[1].inputs, ElementsAre("v"));
}

TEST(GraphDefTensor, OfFloatsLiesInTheFile) {
  const Model model = small_network().read();
  const auto bytes = model.graph.weights.at("filter").bytes();
  EXPECT_GE(bytes.data(), model.file.bytes().data());
  EXPECT_LE(bytes.data() + bytes.size(), model.file.bytes().data() + model.file.bytes().size());
  EXPECT_THAT(aligned(model.graph.weights.at("filter")).data<float>(),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(GraphDefTensor, RepeatsItsLastElement) {
  std::string bytes(8, '\0');
  const float values[] = {1.5F, -2.F};
  std::memcpy(bytes.data(), values, 8);
  EXPECT_THAT(constant_of(with_bytes(kFloat, {2, 2}, TensorProto::float_val, bytes)).data<float>(),
              ElementsAre(1.5F, -2, -2, -2));
  EXPECT_THAT(constant_of(varints(kInt32, {3}, TensorProto::int_val, {7}, false)).data<int>(),
              ElementsAre(7, 7, 7));
}

TEST(GraphDefTensor, IsZeroWithoutElements) {
  EXPECT_THAT(constant_of(with_bytes(kFloat, {2}, TensorProto::float_val, "")).data<float>(),
              ElementsAre(0, 0));
}

TEST(GraphDefTensor, MayHaveNoElementsAtAll) {
  EXPECT_THAT(constant_of(with_bytes(kFloat, {0, 3}, TensorProto::float_val, "")).data<float>(),
              IsEmpty());
}

TEST(GraphDefTensor, HasElementsOfEveryTypePackedOrNot) {
  for (const bool packed : {false, true}) {
    const auto read = [&](std::int64_t type, std::uint32_t field,
                          const std::vector<std::uint64_t>& values) {
      return constant_of(varints(type, {2}, field, values, packed));
    };
    const std::uint64_t minus = static_cast<std::uint64_t>(-1);
    EXPECT_THAT(read(kInt32, TensorProto::int_val, {1, minus}).data<std::int32_t>(),
                ElementsAre(1, -1));
    EXPECT_THAT(read(kInt8, TensorProto::int_val, {1, minus}).data<std::int8_t>(),
                ElementsAre(1, -1));
    EXPECT_THAT(read(kUint8, TensorProto::int_val, {1, 255}).data<std::uint8_t>(),
                ElementsAre(1, 255));
    EXPECT_THAT(read(kInt64, TensorProto::int64_val, {1, minus}).data<std::int64_t>(),
                ElementsAre(1, -1));
    EXPECT_THAT(read(kBool, TensorProto::bool_val, {0, 1}).data<std::uint8_t>(), ElementsAre(0, 1));
    EXPECT_THAT(read(kHalf, TensorProto::half_val, {0x3C00, 0}).data<std::uint16_t>(),
                ElementsAre(0x3C00, 0));
    EXPECT_THAT(read(kBfloat16, TensorProto::half_val, {0x3F80, 0}).data<std::uint16_t>(),
                ElementsAre(0x3F80, 0));
    EXPECT_THAT(read(kUint32, TensorProto::uint32_val, {1, 4294967295}).data<std::uint32_t>(),
                ElementsAre(1, 4294967295));
    EXPECT_THAT(read(kUint64, TensorProto::uint64_val, {1, minus}).data<std::uint64_t>(),
                ElementsAre(1, minus));
  }
}

TEST(GraphDefTensor, OfTextsAndResourcesIsKnownByNameAlone) {
  GraphBytes graph;
  graph.constant("words", with_bytes(kString, {1}, 8, "hello"))
      .constant("handle", with_bytes(kResource, {}, 14, ""))
      .node("y", "MyOp", {"words", "handle"});
  const Graph read = graph.read().graph;
  EXPECT_THAT(read.opaque_weights, UnorderedElementsAre("words", "handle"));
  EXPECT_THAT(read.weights, IsEmpty());
}

}  // namespace
}  // namespace quantlens::graphdef
