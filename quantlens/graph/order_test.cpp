// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/order.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using Order = std::vector<std::size_t>;

Node node(std::vector<std::string> inputs, const std::string& output) {
  Node out;
  out.type = "Op";
  out.inputs = std::move(inputs);
  out.outputs = {output};
  return out;
}

/// A node that holds one subgraph which reads `reads` and makes `makes`.
Node holder(std::vector<std::string> reads, const std::string& makes, const std::string& output) {
  Graph body;
  body.nodes = {node(std::move(reads), makes)};
  body.outputs = {{makes, {}, {}}};
  Node out = node({"x"}, output);
  out.subgraphs["body"] = std::make_shared<const Graph>(std::move(body));
  return out;
}

Graph graph(std::vector<Node> nodes) {
  Graph out;
  out.inputs = {{"x", {}, {}}};
  out.nodes = std::move(nodes);
  return out;
}

std::string sentence_of(const Graph& graph) {
  try {
    topological_order(graph);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return "";
}

TEST(TopologicalOrder, KeepsTheOrderOfTheFileWhereItIsSound) {
  EXPECT_EQ(topological_order(graph({node({"x"}, "b"), node({"x"}, "a"), node({"a", "b"}, "c")})),
            (Order{0, 1, 2}));
}

TEST(TopologicalOrder, MovesOnlyWhatMustWait) {
  EXPECT_EQ(topological_order(graph({node({"c"}, "d"), node({"x"}, "a"), node({"a"}, "c")})),
            (Order{1, 2, 0}));
}

TEST(TopologicalOrder, CountsWhatSubgraphsRead) {
  EXPECT_EQ(topological_order(graph({holder({"late"}, "inner", "h"), node({"x"}, "late")})),
            (Order{1, 0}));
}

TEST(TopologicalOrder, NamesANodeOfACycle) {
  EXPECT_EQ(sentence_of(graph({node({"x"}, "a"), node({"a", "c"}, "b"), node({"b"}, "c")})),
            "the nodes form a cycle through 'Op:b'");
}

TEST(TopologicalOrder, NamesAValueThatNothingMakes) {
  EXPECT_EQ(sentence_of(graph({node({"ghost"}, "a")})),
            "node 'Op:a' reads 'ghost', which nothing makes");
  EXPECT_EQ(topological_order(graph({node({"ghost"}, "a")}), {"ghost"}), (Order{0}));
}

TEST(TopologicalOrder, TakesAHundredThousandNodesInARow) {
  std::vector<Node> nodes;
  for (int i = 100'000; i > 0; --i) {
    nodes.push_back(node({"v" + std::to_string(i - 1)}, "v" + std::to_string(i)));
  }
  Graph chain = graph(std::move(nodes));
  chain.inputs[0].name = "v0";
  EXPECT_EQ(topological_order(chain).front(), 99'999U);
}

TEST(CapturedValues, AreThoseThatSubgraphsReadFromOutsideOnce) {
  Graph inner = graph({node({"outer", "x", "outer2"}, "y")});
  inner.weights["w"] = Tensor::scalar(1.0F);
  inner.nodes.push_back(node({"w", "y", "outer"}, "z"));
  inner.nodes.push_back(holder({"deep", "z"}, "deeper", "h"));
  inner.outputs = {{"passed_on", {}, {}}};
  Node out = node({}, "o");
  out.subgraphs["body"] = std::make_shared<const Graph>(inner);
  EXPECT_EQ(captured_values(out),
            (std::vector<std::string>{"outer", "outer2", "deep", "passed_on"}));
  EXPECT_TRUE(captured_values(node({"a"}, "b")).empty());
}

TEST(GraphIndex, KnowsMakersAndReaders) {
  Graph g = graph({node({"x", "", "x"}, "a"), holder({"a"}, "inner", "h")});
  g.outputs = {{"h", {}, {}}};
  const GraphIndex index(g);
  EXPECT_EQ(index.producer("h"), std::optional<std::size_t>(1));
  EXPECT_FALSE(index.producer("x").has_value());
  ASSERT_EQ(index.uses("x").size(), 3U);
  EXPECT_EQ(index.uses("x")[1].input, 2U);
  ASSERT_EQ(index.uses("a").size(), 1U);
  EXPECT_EQ(index.uses("a")[0].node, 1U);
  EXPECT_EQ(index.uses("a")[0].input, 1U) << "past the holder's own single input";
  EXPECT_TRUE(index.uses("inner").empty());
  EXPECT_TRUE(index.is_input("x") && index.is_output("h"));
  EXPECT_FALSE(index.is_input("h") || index.is_output("x"));
}

TEST(GraphIndex, KnowsInitializersAndConstantNodesAsConstants) {
  Graph g = graph({});
  g.weights["w"] = Tensor::scalar(2.0F);
  Node constant = node({}, "c");
  constant.kind = Kind::constant;
  constant.roles = roles::ConstantValue{Tensor::scalar(std::int64_t{1})};
  g.nodes = {constant};
  const GraphIndex index(g);
  EXPECT_EQ(index.constant("w")->data<float>()[0], 2.0F);
  EXPECT_EQ(index.constant("c")->dtype(), DType::int64);
  EXPECT_EQ(index.constant("x"), nullptr);
}

}  // namespace
}  // namespace quantlens
