// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/element_types.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

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

TEST(ElementTypes, OfCodesAreThoseOfTheirZeroPointOrAsTheOpSays) {
  SmallGraph small;
  small.input("x").constant("scale", Tensor::scalar(0.5F));
  small.constant("zero", Tensor::scalar(std::int8_t{0}));
  small.node(Kind::quantize, {"x", "scale", "zero"}, "q")
      .node(Kind::dequantize, {"q", "scale", "zero"}, "d")
      .node(Kind::quantize, {"x", "scale"}, "unsaid")
      .node(Kind::quantize, {"x", "scale"}, "said")
      .set(&roles::Coding::codes, DType::uint16)
      .node(Kind::qconcat, {"scale", "zero", "q", "scale", "zero"}, "joined")
      .node(Kind::conv_integer, {"q", "q"}, "sums");
  const auto types = element_types(GraphIndex(small.graph()));
  EXPECT_EQ(types.at("q"), DType::int8);
  EXPECT_EQ(types.at("d"), DType::float32);
  EXPECT_FALSE(types.contains("unsaid"));
  EXPECT_EQ(types.at("said"), DType::uint16);
  EXPECT_EQ(types.at("joined"), DType::int8);
  EXPECT_EQ(types.at("sums"), DType::int32);
}

TEST(ElementTypes, OfFurtherResults) {
  SmallGraph small;
  small.input("x").node(Kind::max_pool, {"x"}, "pool").node(Kind::split, {"x"}, "half");
  Graph graph = small.graph();
  graph.nodes[0].outputs.push_back("places");
  graph.nodes[1].outputs.push_back("rest");
  const auto types = element_types(GraphIndex(graph));
  EXPECT_EQ(types.at("places"), DType::int64);
  EXPECT_EQ(types.at("rest"), DType::float32);
}

}  // namespace
}  // namespace quantlens
