// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/names.h"

#include <memory>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(BeginsAName, LooksAtInputsWeightsResultsAndBodies) {
  SmallGraph body;
  body.node(Kind::relu, {"a/x"}, "d/inner");
  Graph graph = SmallGraph().input("a/x").weight("b/w", {1}, {1}).graph();
  graph.opaque_weights.insert("e/sparse");
  graph.nodes.push_back({.name = "f/node",
                         .type = "If",
                         .domain = {},
                         .kind = Kind::other,
                         .inputs = {"g/read"},
                         .outputs = {"c/y"},
                         .attributes = {},
                         .subgraphs = {{"then", std::make_shared<const Graph>(body.graph())}}});
  for (const char* prefix : {"a/", "b/", "c/", "d/", "e/"}) {
    EXPECT_TRUE(begins_a_name(graph, prefix)) << prefix;
  }
  for (const char* prefix : {"f/", "g/", "x"}) EXPECT_FALSE(begins_a_name(graph, prefix)) << prefix;
}

}  // namespace
}  // namespace quantlens
