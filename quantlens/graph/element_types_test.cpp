// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/element_types.h"

#include <gtest/gtest.h>

#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

TEST(ElementTypes, FollowTheDataAndTheFile) {
  SmallGraph small;
  small.weight("b", {1}, {1}).constant("w", Tensor::from<double>({1}, {1.0}));
  small.node(Kind::relu, {"x"}, "r")
      .node(Kind::cast, {"r"}, "cast")
      .node(Kind::add, {"cast", "b"}, "sum")
      .node(Kind::where, {"mask", "w", "w"}, "d")
      .node(Kind::other, {"x"}, "o")
      .node(Kind::relu, {"o"}, "after")
      .node(Kind::shape_of, {"x"}, "s")
      .node(Kind::cast, {"s"}, "unknown");
  Graph graph = small.graph();
  Node top_k = graph.nodes.back();
  top_k.kind = Kind::other;
  top_k.inputs = {"r", "s"};
  top_k.outputs = {"largest", "indices", "third"};
  top_k.results = {{}, {.dtype = DType::int64}};
  graph.nodes.push_back(top_k);
  graph.inputs = {{.name = "x", .dtype = DType::float16, .shape = {}},
                  {.name = "mask", .dtype = DType::boolean, .shape = {}}};
  graph.values["cast"] = {.name = "cast", .dtype = DType::float32, .shape = {}};
  const GraphIndex index(graph);
  const auto types = element_types(index);
  EXPECT_EQ(types.at("x"), DType::float16);
  EXPECT_EQ(types.at("r"), DType::float16);
  EXPECT_EQ(types.at("sum"), DType::float32);
  EXPECT_EQ(types.at("d"), DType::float64);
  EXPECT_EQ(types.at("s"), DType::int64);
  EXPECT_EQ(types.at("largest"), DType::float16);
  EXPECT_EQ(types.at("indices"), DType::int64);
  EXPECT_FALSE(types.contains("third"));
  EXPECT_FALSE(types.contains("o"));
  EXPECT_FALSE(types.contains("after"));
  EXPECT_FALSE(types.contains("unknown"));
}

}  // namespace
}  // namespace quantlens
