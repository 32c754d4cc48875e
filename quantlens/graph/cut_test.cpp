// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/cut.h"

#include <gmock/gmock.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/check.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// x -> a -> b -> y and z -> c, which b reads as well; w is read by a and by y's maker.
SmallGraph net() {
  SmallGraph net;
  net.input("x").input("z").weight("w", {1, 4}, {1, 2, 3, 4}).weight("v", {1, 4}, {1, 2, 3, 4});
  net.node(Kind::mul, {"x", "w"}, "a").node(Kind::relu, {"z"}, "c");
  net.node(Kind::add, {"a", "c"}, "b").node(Kind::mul, {"b", "v"}, "y").output("y");
  return net;
}

std::vector<std::string> names(const std::vector<ValueInfo>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ValueInfo& value : values) names.push_back(value.name);
  return names;
}

std::vector<std::string> made(const Graph& graph) {
  std::vector<std::string> values;
  values.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) values.push_back(op_id(node));
  return values;
}

Error error_of(const Ends& ends) {
  try {
    cut(net().graph(), ends);
  } catch (const Error& error) {
    return error;
  }
  return Error(Errc::failed, "nothing is wrong");
}

TEST(Cut, BeginsAtAnInnerValue) {
  const Graph graph = cut(net().graph(), {.inputs = {"a", "z"}, .outputs = {}});
  EXPECT_THAT(names(graph.inputs), ElementsAre("a", "z"));
  EXPECT_THAT(made(graph), ElementsAre("c", "b", "y"));
  EXPECT_THAT(graph.weights.size(), 1U) << "w was only read before it";
  EXPECT_EQ(graph.inputs[0].dtype, DType::float32) << "as what makes it says";
  check_names(graph);
}

TEST(Cut, EndsAtAnInnerValue) {
  const Graph graph = cut(net().graph(), {.inputs = {}, .outputs = {"a"}});
  EXPECT_THAT(names(graph.inputs), ElementsAre("x")) << "z is not needed";
  EXPECT_THAT(names(graph.outputs), ElementsAre("a"));
  EXPECT_THAT(made(graph), ElementsAre("a"));
}

TEST(Cut, KeepsAGraphWithoutEndsAsItIs) {
  const Graph graph = cut(net().graph(), {});
  EXPECT_THAT(made(graph), ElementsAre("a", "c", "b", "y"));
}

TEST(Cut, TakesNodesForWhatTheyGive) {
  EXPECT_THAT(names(cut(net().graph(), {.inputs = {}, .outputs = {"node_b"}}).outputs),
              ElementsAre("b"));
  EXPECT_THAT(names(cut(net().graph(), {.inputs = {"b:0"}, .outputs = {}}).inputs),
              ElementsAre("b"));
}

TEST(Cut, LeavesOtherResultsOfTheOpThatMadeAnInput) {
  SmallGraph net;
  net.input("x").node(Kind::split, {"x"}, "p").node(Kind::add, {"p", "q"}, "y").output("y");
  Graph graph = net.graph();
  graph.nodes[0].outputs.push_back("q");
  const Graph result = cut(graph, {.inputs = {"p", "x"}, .outputs = {}});
  EXPECT_THAT(result.nodes[0].outputs, ElementsAre("", "q"));
  check_names(result);
}

TEST(Cut, KeepsWhatBodiesRead) {
  SmallGraph body;
  body.node(Kind::relu, {"a"}, "inner").output("inner");
  Graph graph = net().node(Kind::control_flow, {"z"}, "out").output("out").graph();
  graph.nodes.back().subgraphs["then"] = std::make_shared<const Graph>(body.graph());
  EXPECT_THAT(made(cut(graph, {.inputs = {}, .outputs = {"out"}})), ElementsAre("a", "out"));
}

TEST(Cut, NamesTheNearestOfWhatIsNotThere) {
  const Error error = error_of({.inputs = {}, .outputs = {"node_bb"}});
  EXPECT_EQ(error.code(), Errc::not_found);
  EXPECT_THAT(error.what(), HasSubstr("--outputs: the model has no value or node 'node_bb'; did "
                                      "you mean 'node_b'"));
}

TEST(Cut, RefusesInputsThatDoNotSuffice) {
  const Error error = error_of({.inputs = {"a"}, .outputs = {}});
  EXPECT_EQ(error.code(), Errc::usage);
  EXPECT_THAT(error.what(), HasSubstr("the output 'y' needs the input 'z' as well"));
}

TEST(Cut, RefusesEndsThatMakeNoSense) {
  EXPECT_THAT(error_of({.inputs = {"w"}, .outputs = {}}).what(), HasSubstr("is a weight"));
  EXPECT_THAT(error_of({.inputs = {"x", "b", "x"}, .outputs = {}}).what(),
              HasSubstr("named twice"));
  EXPECT_THAT(error_of({.inputs = {"x", "b"}, .outputs = {"a"}}).what(),
              HasSubstr("'b' leads to none of the outputs"));
  EXPECT_THAT(error_of({.inputs = {"b"}, .outputs = {"b"}}).what(),
              HasSubstr("an input and an output at once"));
}

TEST(Cut, CutsAChainOfManyOpsWithoutRecursion) {
  SmallGraph net;
  net.input("n0");
  for (int i = 1; i < 20'000; ++i)
    net.node(Kind::relu, {"n" + std::to_string(i - 1)}, "n" + std::to_string(i));
  const Graph graph = cut(net.graph(), {.inputs = {"n10"}, .outputs = {"n19999"}});
  EXPECT_EQ(graph.nodes.size(), 19'989U);
}

}  // namespace
}  // namespace quantlens
