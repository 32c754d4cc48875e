// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/value_makers.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

OpOutline making(std::string id, std::vector<std::string> outputs, std::string scope = {}) {
  OpOutline op;
  op.op = std::move(id);
  op.outputs = std::move(outputs);
  op.scope = std::move(scope);
  return op;
}

TEST(ValueMakers, LookInTheBodyFirstAndThenAroundIt) {
  GraphOutline graph;
  graph.ops = {making("x", {"x", "", "y"}), making("a/if", {"a/if"}),
               making("a/if/x", {"x"}, "a/if"), making("a", {"a"}), making("a/x", {"x"}, "a")};
  const ValueMakers makers(graph);
  EXPECT_EQ(makers.op("", "x"), &graph.ops[0]);
  EXPECT_EQ(makers.find("", "y")->output, 2U);
  EXPECT_EQ(makers.op("a/if", "x"), &graph.ops[2]);
  EXPECT_EQ(makers.op("a/if", "y"), &graph.ops[0]) << "not of the body of 'a', of another op";
  EXPECT_EQ(makers.op("", "weight"), nullptr);
  EXPECT_EQ(makers.op("unknown", "x"), nullptr);
  EXPECT_EQ(makers.op("", ""), nullptr);
}

TEST(ValueMakers, EndWhereBodiesLieInEachOther) {
  GraphOutline graph;
  graph.ops = {making("a", {"a"}, "b"), making("b", {"b"}, "a")};
  EXPECT_EQ(ValueMakers(graph).op("a", "nothing"), nullptr);
}

}  // namespace
}  // namespace quantlens
