// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/local_readers.h"

#include <memory>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(LocalReaders, BodiesReadWhatTheReferenceComputedToo) {
  SmallGraph body;
  body.node(Kind::relu, {"a"}, "inner");
  SmallGraph outer;
  outer.input("x").node(Kind::relu, {"x"}, "a").node(Kind::control_flow, {"x"}, "c").output("c");
  Model model = outer.model();
  model.graph.nodes[1].subgraphs["then_branch"] = std::make_shared<Graph>(body.graph());
  TapSpec spec;
  spec.pairs.push_back({.reference = "a", .quantized = "a"});
  const LocalReaders readers =
      local_readers(GraphIndex(model.graph), spec, {0}, [] { return "new"; });
  ASSERT_EQ(readers.values.size(), 1U);
  EXPECT_EQ(readers.values[0].name, "new");
  EXPECT_TRUE(readers.inputs.empty());
  EXPECT_EQ(readers.captured.at(1).at("a"), "new");
}

}  // namespace
}  // namespace quantlens
