// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/extents.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using Row = std::vector<Extent>;

constexpr Extent kOpen = std::nullopt;

Extents of(const SmallGraph& net, const std::vector<Dim>& input) {
  Graph graph = net.graph();
  graph.inputs[0].shape = input;
  return extents(GraphIndex(graph));
}

Dim dim(std::int64_t extent) {
  return {.extent = extent, .symbol = {}};
}

const Dim kBatch{.extent = {}, .symbol = "N"};

TEST(Extents, FollowWindows) {
  SmallGraph net;
  net.input("x").weight("w", {4, 3, 3, 5}, std::vector<float>(180));
  net.node(Kind::conv, {"x", "w"}, "c")
      .set(&roles::Convolution::window,
           {.strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 0, 2}});
  net.node(Kind::conv, {"x", "w"}, "same");
  net.set(&roles::Convolution::window, {.pads_to_fit = true});
  net.node(Kind::max_pool, {"c"}, "m").set(&roles::Pool::window, {.kernel = {2, 2}});
  net.node(Kind::max_pool, {"c"}, "up");
  net.set(&roles::Pool::window, {.kernel = {2, 2}, .rounds_up = true});
  net.constant("t", Tensor::from<float>({4, 2, 2, 2}, std::vector<float>(32)));
  net.node(Kind::conv_transpose, {"m", "t"}, "b").set(&roles::Convolution::groups, 2);
  net.set(&roles::Convolution::window, {.strides = {2, 2}, .output_padding = {1, 0}});
  net.node(Kind::global_average_pool, {"b"}, "g");
  const Extents known = of(net, {kBatch, dim(3), dim(8), dim(20)});
  EXPECT_EQ(known.at("c"), (Row{kOpen, 4, 4, 14}));  // (8+1-3)/2+1, 20+2-9+1
  EXPECT_EQ(known.at("same"), (Row{kOpen, 4, 8, 20}));
  EXPECT_EQ(known.at("m"), (Row{kOpen, 4, 3, 13}));
  EXPECT_EQ(known.at("up"), (Row{kOpen, 4, 3, 13}));
  EXPECT_EQ(known.at("b"), (Row{kOpen, 4, 7, 26}));  // 2*2+2+1, 12*2+2
  EXPECT_EQ(known.at("g"), (Row{kOpen, 4, 1, 1}));
}

TEST(Extents, FollowProducts) {
  SmallGraph net;
  net.input("x").constant("w", Tensor::from<float>({3, 5}, std::vector<float>(15)));
  net.constant("stack", Tensor::from<float>({2, 5, 3}, std::vector<float>(30)));
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::matmul, {"m", "stack"}, "s");
  net.node(Kind::matmul, {"w", "x"}, "left").node(Kind::gemm, {"x", "w"}, "g");
  net.set(&roles::MatrixProduct::transposes_a, true);
  net.set(&roles::MatrixProduct::transposes_b, true);
  const Extents known = of(net, {kBatch, dim(3)});
  EXPECT_EQ(known.at("m"), (Row{kOpen, 5}));
  EXPECT_EQ(known.at("s"), (Row{2, kOpen, 3}));
  EXPECT_EQ(known.at("left"), (Row{3, 3}));
  EXPECT_EQ(known.at("g"), (Row{3, 3}));
}

TEST(Extents, OfSumsAreWhatWidensThem) {
  SmallGraph net;
  net.input("x").constant("c", Tensor::from<float>({2, 1}, {1, 2}));
  net.node(Kind::add, {"x", "c"}, "a").node(Kind::relu, {"a"}, "r");
  net.node(Kind::mul, {"unknown", "c"}, "u").node(Kind::mul, {"r", "r"}, "square");
  const Extents known = of(net, {kBatch, kBatch, dim(1)});
  EXPECT_EQ(known.at("a"), (Row{kOpen, 2, 1}));
  EXPECT_EQ(known.at("square"), (Row{kOpen, 2, 1}));
  EXPECT_EQ(known.count("u"), 0U);
}

TEST(Extents, FollowWhatMoves) {
  SmallGraph net;
  net.input("x").constant("to", Tensor::from<std::int64_t>({3}, {0, -1, 7}));
  net.node(Kind::transpose, {"x"}, "t").set(&roles::Permutation::order, {2, 0, 1});
  net.node(Kind::transpose, {"x"}, "turned").node(Kind::reshape, {"x", "to"}, "r");
  const Extents known = of(net, {dim(4), kBatch, dim(6)});
  EXPECT_EQ(known.at("t"), (Row{6, 4, kOpen}));
  EXPECT_EQ(known.at("turned"), (Row{6, kOpen, 4}));
  EXPECT_EQ(known.at("r"), (Row{4, kOpen, 7}));
}

TEST(Extents, TakeNoHugeNumbers) {
  SmallGraph net;
  const std::int64_t huge = std::int64_t{1} << 62;
  net.input("x").constant("t", Tensor::from<float>({1, 1, 2}, {1, 2}));
  net.node(Kind::conv_transpose, {"x", "t"}, "b");
  net.set(&roles::Convolution::window, {.strides = {huge}});
  net.node(Kind::conv_transpose, {"x", "t"}, "c");
  net.set(&roles::Convolution::window, {.strides = {2}});
  const Extents known = of(net, {dim(1), dim(1), dim(huge)});
  EXPECT_EQ(known.at("b"), (Row{1, 1, kOpen}));
  EXPECT_EQ(known.at("c"), (Row{1, 1, kOpen}));
}

}  // namespace
}  // namespace quantlens
