// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/space.h"

#include <gtest/gtest.h>

#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

TEST(Space, HoldsWhatIsAroundAnOp) {
  SmallGraph net;
  net.input("x");
  net.node(Kind::conv, {"x"}, "c").node(Kind::relu, {"c"}, "r").node(Kind::reshape, {"r"}, "s");
  net.node(Kind::add, {"s", "x"}, "a").node(Kind::conv, {"a"}, "c2").output("c2");
  Plan plan;
  for (const Node& node : net.model().graph.nodes) {
    plan.ops.push_back({.op = op_id(node),
                        .name = node.name,
                        .type = node.type,
                        .kind = node.type,
                        .pattern = {node.type},
                        .members = {op_id(node)},
                        .quantized = true});
  }
  const Space space = space_of(net.model().graph, plan, {});
  ASSERT_EQ(space.ops.size(), 5u);
  EXPECT_EQ(space.ops[1].around, (std::vector<std::size_t>{2, 3})) << "across what only moves";
  EXPECT_EQ(space.ops[4].around, (std::vector<std::size_t>{3}));
  EXPECT_EQ(space.types, (std::vector<std::string>{"conv", "relu", "reshape", "add"}));
  EXPECT_EQ(with_float({}, {&space.ops[0]}).op_name_dict.begin()->first, "node_c");
}

}  // namespace
}  // namespace quantlens
