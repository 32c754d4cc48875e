// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/clip_bounds.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(ClipBounds, ComeFromInputsOrTheOpItselfAndAreConstant) {
  SmallGraph small;
  small.weight("low", {}, {-1}).weight("high", {}, {2});
  small.node(Kind::clip, {"x", "low", "high"}, "both")
      .node(Kind::clip, {"x", "", "high"}, "above")
      .node(Kind::clip, {"x"}, "old")
      .set(&roles::Bounds::low, 0.5F)
      .node(Kind::clip, {"x", "computed"}, "open")
      .node(Kind::relu, {"x"}, "r");
  const GraphIndex index(small.graph());
  const auto bounds = [&](std::size_t i) { return clip_bounds(index, small.graph().nodes[i]); };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bounds(0)->low, -1);
  EXPECT_EQ(bounds(0)->high, 2);
  EXPECT_EQ(bounds(1)->low, -infinity);
  EXPECT_EQ(bounds(1)->high, 2);
  EXPECT_EQ(bounds(2)->low, 0.5F);
  EXPECT_EQ(bounds(2)->high, infinity);
  EXPECT_FALSE(bounds(3));
  EXPECT_FALSE(bounds(4));
}

}  // namespace
}  // namespace quantlens
