// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/graphdef/small_graphs.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// |-x|, and x again.
FunctionParts two_results() {
  return {.name = "f",
          .inputs = {"x"},
          .outputs = {"first", "second"},
          .nodes = {node_bytes("neg", "Neg", {"x"}, kOfFloats),
                    node_bytes("abs", "Abs", {"neg:y:0"}, kOfFloats)},
          .returned = {{"first", "abs:y:0"}, {"second", "x"}}};
}

Attributes call_of(const std::string& name, const std::vector<std::int64_t>& results) {
  return {{"f", function(name)}, {"Tin", types({kFloat})}, {"Tout", types(results)}};
}

TEST(GraphDefFunctions, StandInThePlaceOfTheirCalls) {
  GraphBytes graph;
  graph.define(two_results())
      .input("in", {4})
      .node("call", "PartitionedCall", {"in"}, call_of("f", {kFloat, kFloat}))
      .node("y", "Add", {"call", "call:1"}, kOfFloats);
  const Graph read = graph.read().graph;
  EXPECT_THAT(maker(read, "call/neg").inputs, ElementsAre("in"));
  EXPECT_THAT(maker(read, "call/abs").inputs, ElementsAre("call/neg"));
  EXPECT_THAT(maker(read, "call").inputs, ElementsAre("call/abs"));
  EXPECT_EQ(maker(read, "call").kind, Kind::identity);
  EXPECT_EQ(maker(read, "call").type, "PartitionedCall");
  EXPECT_THAT(maker(read, "call:1").inputs, ElementsAre("in"));
  EXPECT_THAT(maker(read, "y").inputs, ElementsAre("call", "call:1"));
  EXPECT_THAT(names_of(read.outputs), ElementsAre("y"));
}

TEST(GraphDefFunctions, AreCalledByTheirOwnNameToo) {
  GraphBytes graph;
  graph.define(two_results()).input("in", {4}).node("call", "f", {"in"});
  EXPECT_THAT(names_of(graph.read().graph.outputs), ElementsAre("call", "call:1"));
}

TEST(GraphDefFunctions, MayCallOthers) {
  GraphBytes graph;
  graph.define(two_results())
      .define({.name = "outer",
               .inputs = {"a"},
               .outputs = {"r"},
               .nodes = {node_bytes("inner", "StatefulPartitionedCall", {"a"},
                                    call_of("f", {kFloat, kFloat}))},
               .returned = {{"r", "inner:output:1"}}})
      .input("in", {4})
      .node("call", "outer", {"in"});
  const Graph read = graph.read().graph;
  EXPECT_THAT(maker(read, "call/inner/neg").inputs, ElementsAre("in"));
  EXPECT_THAT(maker(read, "call").inputs, ElementsAre("call/inner:1"));
}

TEST(GraphDefFunctions, DoNotTakeTheNamesOfOthers) {
  GraphBytes graph;
  graph.define(two_results())
      .input("in", {4})
      .node("call/neg", "Relu", {"in"}, kOfFloats)
      .node("call", "f", {"call/neg"});
  const Graph read = graph.read().graph;
  EXPECT_EQ(maker(read, "call/neg").type, "Relu");
  EXPECT_EQ(maker(read, "call_1/neg").type, "Neg");
}

TEST(GraphDefFunctions, FindResultsByTheirNames) {
  GraphBytes graph;
  graph
      .define({.name = "f",
               .inputs = {"x", "s"},
               .outputs = {"r", "index"},
               .nodes = {node_bytes("norm", "FusedBatchNormV3", {"x", "s", "s", "s", "s"},
                                    {{"T", type(kFloat)}, {"U", type(kFloat)}}),
                         node_bytes("own", "MyOp", {"x"})},
               .returned = {{"r", "norm:batch_variance:0"}, {"index", "own:places:0"}}})
      .input("in", {4})
      .input("scale", {4})
      .node("call", "f", {"in", "scale"});
  const Graph read = graph.read().graph;
  EXPECT_THAT(maker(read, "call").inputs, ElementsAre("call/norm:2"));
  EXPECT_THAT(maker(read, "call:1").inputs, ElementsAre("call/own:places:0"));
}

TEST(GraphDefFunctions, TakeAttributesOfTheirCalls) {
  GraphBytes graph;
  graph
      .define({.name = "f",
               .inputs = {"x"},
               .outputs = {"r"},
               .nodes = {node_bytes("y", "LeakyRelu", {"x"},
                                    {{"alpha", placeholder("slope")}, {"T", placeholder("no")}})},
               .returned = {{"r", "y:activations:0"}}})
      .input("in", {4})
      .node("call", "f", {"in"}, {{"slope", real(0.25F)}});
  const Node node = maker(graph.read().graph, "call/y");
  EXPECT_EQ(attribute_float(node, "alpha", 0), 0.25F);
  EXPECT_FALSE(node.attributes.contains("T"));
}

TEST(GraphDefFunctions, HoldConstantsOfTheirOwn) {
  GraphBytes graph;
  graph
      .define({.name = "f",
               .inputs = {"x"},
               .outputs = {"r"},
               .nodes = {node_bytes("c", "Const", {}, {{"value", tensor(floats({1}, {3}))}}),
                         node_bytes("y", "Mul", {"x", "c:output:0"}, kOfFloats)},
               .returned = {{"r", "y:z:0"}}})
      .input("in", {4})
      .node("call", "f", {"in"});
  const Graph read = graph.read().graph;
  EXPECT_TRUE(read.weights.contains("call/c"));
  EXPECT_THAT(maker(read, "call/y").inputs, ElementsAre("in", "call/c"));
}

TEST(GraphDefFunctions, OfBranchesAreSubgraphs) {
  GraphBytes graph;
  graph.define(two_results())
      .input("which", {})
      .input("in", {4})
      .node("y", "StatelessIf", {"which", "in"},
            {{"then_branch", function("f")},
             {"else_branch", function("f")},
             {"Tout", types({kFloat, kFloat})}})
      .node("z", "Case", {"which", "in"},
            {{"branches", functions({"f", "f"})}, {"Tout", types({kFloat, kFloat})}});
  const Graph read = graph.read().graph;
  const Node& branch = maker(read, "y");
  EXPECT_EQ(branch.kind, Kind::control_flow);
  ASSERT_EQ(branch.subgraphs.size(), 2U);
  const Graph& body = *branch.subgraphs.at("then_branch");
  EXPECT_THAT(names_of(body.inputs), ElementsAre("x"));
  EXPECT_THAT(names_of(body.outputs), ElementsAre("abs", "x"));
  EXPECT_EQ(body.inputs[0].dtype, DType::float32);
  EXPECT_EQ(maker(read, "z").subgraphs.size(), 2U);
  EXPECT_TRUE(maker(read, "z").subgraphs.contains("branches[1]"));
}

TEST(GraphDefFunctions, ThatCallThemselvesAreRefused) {
  GraphBytes graph;
  graph
      .define({.name = "f",
               .inputs = {"x"},
               .outputs = {"r"},
               .nodes = {node_bytes("again", "f", {"x"}), node_bytes("twice", "f", {"x"})},
               .returned = {{"r", "again:r:0"}}})
      .input("in", {4})
      .node("call", "f", {"in"});
  EXPECT_THAT(refusal(graph.bytes()), HasSubstr("call each other more than 32 deep"));
}

TEST(GraphDefFunctions, ThatDoubleWithEachCallAreRefused) {
  GraphBytes graph;
  for (int i = 0; i < 30; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    graph.define({.name = "f" + std::to_string(i),
                  .inputs = {"x"},
                  .outputs = {"r"},
                  .nodes = {node_bytes("a", next, {"x"}), node_bytes("b", next, {"a:r:0"})},
                  .returned = {{"r", "b:r:0"}}});
  }
  graph.define({.name = "f30", .inputs = {"x"}, .outputs = {"r"}, .returned = {{"r", "x"}}});
  graph.input("in", {4}).node("call", "f0", {"in"});
  EXPECT_THAT(refusal(graph.bytes()), HasSubstr("more memory than is sensible"));
}

TEST(GraphDefFunctions, OfBranchesThatDoubleAreRefused) {
  GraphBytes graph;
  graph
      .define({.name = "f",
               .inputs = {"x"},
               .outputs = {"r"},
               .nodes = {node_bytes("again", "If", {"x", "x"},
                                    {{"then_branch", function("f")},
                                     {"else_branch", function("f")},
                                     {"Tout", types({kFloat})}})},
               .returned = {{"r", "again:output:0"}}})
      .input("in", {4})
      .node("call", "f", {"in"});
  EXPECT_THAT(refusal(graph.bytes()), HasSubstr("32 deep"));
}

TEST(GraphDefFunctions, ThatAreNotWhatTheirCallSaysAreRefused) {
  const auto with = [](const FunctionParts& function, const std::vector<std::string>& inputs) {
    GraphBytes graph;
    graph.define(function).input("in", {4}).node("call", "f", inputs);
    return refusal(graph.bytes());
  };
  EXPECT_THAT(with(two_results(), {"in", "in"}), HasSubstr("gives 2 values to a function of 1"));
  FunctionParts lacks = two_results();
  lacks.returned.erase("second");
  EXPECT_THAT(with(lacks, {"in"}), HasSubstr("nothing makes the result 'second'"));
  FunctionParts wrong = two_results();
  wrong.returned["first"] = "abs:nothing:0";
  EXPECT_EQ(with(wrong, {"in"}), "") << "an op of one result has it under any name";
  wrong.returned["first"] = "abs:y:1";
  EXPECT_THAT(with(wrong, {"in"}), HasSubstr("of which there is no such result: it has 1"));
  GraphBytes missing;
  missing.input("in", {4}).node("call", "PartitionedCall", {"in"}, call_of("none", {kFloat}));
  EXPECT_THAT(refusal(missing.bytes()), HasSubstr("calls the function 'none', which is not there"));
}

}  // namespace
}  // namespace quantlens::graphdef
