// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/op_ids.h"

#include <gtest/gtest.h>

#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

TEST(OpIds, AreThoseOfNamesThatOneOpHas) {
  SmallGraph net;
  net.input("x")
      .node(Kind::relu, {"x"}, "a")
      .node(Kind::relu, {"a"}, "b")
      .node(Kind::relu, {"b"}, "c");
  Graph graph = net.output("c").graph();
  graph.nodes[2].name = graph.nodes[1].name;
  std::vector<Finding> findings(1);
  findings[0].ops = {"node_a", "x", "node_b", "nowhere"};
  add_op_ids(graph, findings);
  EXPECT_EQ(findings[0].op_ids, (std::vector<std::string>{"a", "x", "", ""}));
}

}  // namespace
}  // namespace quantlens
