// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ValueInfo image() {
  return {.name = "x",
          .dtype = DType::float32,
          .shape = std::vector<Dim>{{std::nullopt, "N"}, {3, ""}, {std::nullopt, ""}}};
}

TEST(Outline, TellsInnerValuesThatTheOpsMakeKnown) {
  SmallGraph net;
  net.input("x").weight("w", {4, 3, 1, 1}, std::vector<float>(12)).output("y");
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::other, {"c"}, "o").node(Kind::relu, {"c"}, "y");
  Graph graph = net.graph();
  graph.inputs[0].shape = {{{.extent = {}, .symbol = "N"},
                            {.extent = 3, .symbol = {}},
                            {.extent = 8, .symbol = {}},
                            {.extent = {}, .symbol = {}}}};
  const GraphOutline result = outline(graph);
  EXPECT_THAT(result.values,
              ElementsAre(ValueOutline{"c", "float32", "[N,4,8,?]"}, ValueOutline{"o", "?", "?"}));
  EXPECT_THAT(result.outputs, ElementsAre(ValueOutline{"y", "float32", "[N,4,8,?]"}));
}

TEST(Outline, TellsTheRolesOfOpsAndNoContentsOfTensors) {
  SmallGraph net;
  net.input("x").weight("w", {4, 1, 1, 1}, std::vector<float>(4));
  net.node(Kind::conv, {"x", "w"}, "c").set(&roles::Convolution::groups, 4);
  net.node(Kind::constant, {}, "k");
  net.node(Kind::transpose, {"c"}, "t");
  net.set(&roles::Permutation::order, std::vector<std::int64_t>(1000, 1));
  net.node(Kind::relu, {"c"}, "r").node(Kind::matmul, {"c", "w"}, "m");
  Graph graph = net.graph();
  graph.nodes[1].roles = roles::ConstantValue{Tensor::scalar(1.0F)};
  const GraphOutline result = outline(graph);
  EXPECT_EQ(std::get<roles::Convolution>(result.ops[0].roles), (roles::Convolution{.groups = 4}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.ops[1].roles));
  EXPECT_EQ(result.values.at(1), (ValueOutline{"k", "float32", "[]"}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.ops[2].roles)) << "it is too long";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.ops[3].roles)) << "it has none";
  EXPECT_TRUE(std::holds_alternative<roles::MatrixProduct>(result.ops[4].roles))
      << "those of its kind, too";
}

TEST(Outline, LeavesOutRolesThatTellNothingButWhereInputsUsuallyAre) {
  SmallGraph net;
  net.input("x").node(Kind::slice, {"x", "b", "e"}, "s").node(Kind::slice, {"x", "b", "e"}, "t");
  net.set(&roles::Slicing::operands, {.begins = 2, .ends = 1});
  const GraphOutline result = outline(net.graph());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.ops[0].roles));
  EXPECT_EQ(std::get<roles::Slicing>(result.ops[1].roles).operands.begins, 2U);
}

TEST(Outline, SaysOfAValueWhatTheFileSays) {
  EXPECT_EQ(outline(image()), (ValueOutline{"x", "float32", "[N,3,?]"}));
  EXPECT_EQ(outline(ValueInfo{.name = "y"}), (ValueOutline{"y", "?", "?"}));
}

TEST(Outline, ListsOpsWithTheirBodiesAndAttributesAsText) {
  Graph body;
  body.nodes.resize(1);
  body.nodes[0].type = "Relu";
  body.nodes[0].outputs = {"inner"};
  Graph graph;
  graph.inputs = {image()};
  graph.weights = {{"w", Tensor::from({2}, std::vector<float>{1, 2})}};
  graph.nodes.resize(2);
  graph.nodes[0].type = "If";
  graph.nodes[0].outputs = {"y"};
  graph.nodes[0].subgraphs["then_branch"] = std::make_shared<const Graph>(body);
  graph.nodes[1].name = "last";
  graph.nodes[1].type = "Op";
  graph.nodes[1].inputs = {"y", "w"};
  graph.nodes[1].outputs = {"z"};
  graph.nodes[1].attributes = {{"axes", std::vector<std::int64_t>(20, 7)},
                               {"axis", std::int64_t{-1}},
                               {"text", std::string(1000, 'a')},
                               {"value", Tensor::from({2}, std::vector<float>{1, 2})}};
  graph.nodes[1].kind = Kind::relu;
  graph.values = {
      {"y", {.name = "y", .dtype = DType::float32, .shape = std::vector<Dim>{{3, ""}}}}};
  const GraphOutline result = outline(graph);
  ASSERT_THAT(result.ops, testing::SizeIs(3));
  EXPECT_EQ(result.ops[0].kind, Kind::other);
  EXPECT_EQ(result.ops[2].kind, Kind::relu);
  EXPECT_THAT(result.values, ElementsAre(ValueOutline{"y", "float32", "[3]"},
                                         ValueOutline{"z", "float32", "[3]"}));
  EXPECT_EQ(result.ops[0].name, "If:y");
  EXPECT_EQ(result.ops[1].op, "y/inner");
  EXPECT_EQ(result.ops[1].scope, "y");
  EXPECT_THAT(result.ops[2].inputs, ElementsAre("y", "w"));
  EXPECT_THAT(result.ops[2].attributes.at("axes"), HasSubstr("7,..."));
  EXPECT_EQ(result.ops[2].attributes.at("axis"), "-1");
  EXPECT_EQ(result.ops[2].attributes.at("text").size(), 203U);
  EXPECT_EQ(result.ops[2].attributes.at("value"), "float32 [2]");
  EXPECT_THAT(result.weights, ElementsAre(ValueOutline{"w", "float32", "[2]"}));
}

}  // namespace
}  // namespace quantlens
