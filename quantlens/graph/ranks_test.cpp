// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/ranks.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(Ranks, FollowTheOpsAsFarAsTheyTell) {
  SmallGraph small;
  small.weight("w", {2, 1, 1, 1, 1}, {1, 2}).weight("matrix", {1, 1}, {1});
  small.constant("zero", Tensor::scalar<std::int64_t>(0));
  small.constant("axis", Tensor::from<std::int64_t>({1}, {0}));
  small.constant("to", Tensor::from<std::int64_t>({3}, {1, 1, -1}));
  small.node(Kind::relu, {"x"}, "r")
      .node(Kind::flatten, {"open"}, "f")
      .node(Kind::conv, {"open", "w"}, "c")
      .node(Kind::reshape, {"open", "to"}, "three")
      .node(Kind::matmul, {"three", "matrix"}, "product")
      .node(Kind::add, {"f", "x"}, "sum")
      .node(Kind::add, {"f", "open"}, "unknown")
      .node(Kind::reduce_mean, {"x"}, "mean")
      .node(Kind::reduce_max, {"x"}, "dropped")
      .set(&roles::Reduction::keeps_axes, false)
      .node(Kind::reduce_mean, {"x"}, "pooled")
      .set(&roles::Reduction::keeps_axes, false)
      .set(&roles::Reduction::axes, {1, 2})
      .node(Kind::gather, {"matrix", "three"}, "rows")
      .node(Kind::gather, {"matrix", "open"}, "no_rows")
      .node(Kind::shape_of, {"open"}, "shape")
      .node(Kind::gather, {"shape", "zero"}, "extent")
      .node(Kind::unsqueeze, {"extent", "axis"}, "list")
      .node(Kind::concat, {"list", "list", "axis"}, "joined")
      .node(Kind::reshape, {"open", "joined"}, "by_joined")
      .node(Kind::concat, {"list", "open"}, "not_joined")
      .node(Kind::reshape, {"open", "not_joined"}, "by_unknown")
      .node(Kind::other, {"x"}, "other");
  Graph graph = small.graph();
  graph.inputs = {{.name = "x", .dtype = {}, .shape = std::vector<Dim>(4)},
                  {.name = "open", .dtype = {}, .shape = {}}};
  const GraphIndex index(graph);
  const auto known = ranks(index);
  EXPECT_EQ(known.at("r"), 4U);
  EXPECT_EQ(known.at("f"), 2U);
  EXPECT_EQ(known.at("c"), 5U);
  EXPECT_EQ(known.at("three"), 3U);
  EXPECT_EQ(known.at("product"), 3U);
  EXPECT_EQ(known.at("sum"), 4U);
  EXPECT_EQ(known.at("mean"), 4U);
  EXPECT_EQ(known.at("pooled"), 2U);
  EXPECT_EQ(known.at("rows"), 4U);
  EXPECT_FALSE(known.contains("no_rows"));
  EXPECT_EQ(known.at("extent"), 0U);
  EXPECT_EQ(known.at("list"), 1U);
  EXPECT_EQ(known.at("by_joined"), 3U);
  EXPECT_FALSE(known.contains("by_unknown"));
  EXPECT_FALSE(known.contains("dropped"));
  EXPECT_FALSE(known.contains("unknown"));
  EXPECT_FALSE(known.contains("other"));
}

}  // namespace
}  // namespace quantlens
