// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_through.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

Tensor ints(const Ints& values) {
  return Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

Floats float_numbers(const Plan& plan, const std::string& name) {
  const auto found = plan.weights.find(name);
  if (found == plan.weights.end()) return {};
  const auto values = found->second.data<float>();
  return {values.begin(), values.end()};
}

/// A Conv "c" of two channels, and constants of two float_numbers in several places.
SmallGraph conv() {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {2, 3}).weight("b", {2}, {1, 1});
  net.weight("last", {2}, {5, 7}).weight("second", {2, 1}, {5, 7}).weight("one", {1, 1}, {4});
  net.node(Kind::conv, {"x", "w", "b"}, "c");
  return net;
}

Plan folded(SmallGraph& net, const std::string& end) {
  net.node(Kind::softmax, {end}, "y").output("y");
  return fold_through(GraphIndex(net.graph()));
}

TEST(FoldThrough, FollowsTheChannelsOfAConvThroughATranspose) {
  SmallGraph net = conv();
  net.node(Kind::transpose, {"c"}, "t").set(&roles::Permutation::order, {0, 2, 3, 1});
  net.node(Kind::mul, {"t", "last"}, "m").node(Kind::add, {"last", "m"}, "a");
  const Plan plan = folded(net, "a");
  EXPECT_EQ(plan.removed, (Strings{"m", "a"}));
  ASSERT_EQ(plan.value_edits.size(), 1U);
  EXPECT_EQ(plan.value_edits[0], (ValueEdit{.use = {"y", 0}, .value = "t"}));
  EXPECT_EQ(float_numbers(plan, "w/folded/c"), (Floats{10, 21}));
  EXPECT_EQ(float_numbers(plan, "b/folded/c"), (Floats{10, 14}));
}

TEST(FoldThrough, LeavesNumbersAlongAnotherAxis) {
  SmallGraph net = conv();
  net.node(Kind::transpose, {"c"}, "t").set(&roles::Permutation::order, {0, 2, 1, 3});
  net.node(Kind::mul, {"t", "last"}, "m");
  EXPECT_TRUE(folded(net, "m").removed.empty());
}

TEST(FoldThrough, FollowsChannelsThroughReshapesThatCopyOrNameThem) {
  for (const Ints& shape : {Ints{0, 0, -1}, Ints{0, 2, -1}}) {
    SmallGraph net = conv();
    net.constant("shape", ints(shape)).node(Kind::reshape, {"c", "shape"}, "r");
    net.node(Kind::mul, {"r", "second"}, "m");
    EXPECT_EQ(folded(net, "m").removed, Strings{"m"}) << shape.size();
  }
}

TEST(FoldThrough, LeavesChannelsBehindAReshapeThatMayMixThem) {
  // Whether the second axis is the channels depends on the extents of the image, and of the batch.
  for (const Ints& shape : {Ints{-1, 2, 9}, Ints{0, -1, 2}, Ints{1, 2, -1}}) {
    SmallGraph net = conv();
    net.constant("shape", ints(shape)).node(Kind::reshape, {"c", "shape"}, "r");
    net.node(Kind::mul, {"r", shape[1] == 2 ? "second" : "last"}, "m");
    EXPECT_TRUE(folded(net, "m").removed.empty());
  }
}

TEST(FoldThrough, TakesExtentsThatTheFileSays) {
  SmallGraph net = conv();
  Graph graph = net.graph();
  const auto extent = [](std::int64_t one) { return Dim{.extent = one, .symbol = {}}; };
  graph.values["c"] = {
      .name = "c",
      .dtype = DType::float32,
      .shape = {{Dim{.extent = {}, .symbol = "N"}, extent(2), extent(3), extent(3)}}};
  SmallGraph more;
  more.constant("shape", ints({-1, 2, 9})).node(Kind::reshape, {"c", "shape"}, "r");
  more.node(Kind::mul, {"r", "second"}, "m").node(Kind::softmax, {"m"}, "y");
  graph.weights["shape"] = more.graph().weights.at("shape");
  graph.nodes.insert(graph.nodes.end(), more.graph().nodes.begin(), more.graph().nodes.end());
  graph.outputs = {{.name = "y", .dtype = DType::float32, .shape = {}}};
  EXPECT_EQ(fold_through(GraphIndex(graph)).removed, Strings{"m"});
}

TEST(FoldThrough, FollowsChannelsThroughSqueezeUnsqueezeAndFlatten) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2, 1}, {5, 7});
  net.constant("two", ints({2, 3})).constant("three", ints({-1}));
  net.node(Kind::gemm, {"x", "w"}, "g").node(Kind::unsqueeze, {"g", "two"}, "u");
  net.node(Kind::squeeze, {"u", "three"}, "s").node(Kind::mul, {"s", "k"}, "m");
  const Plan plan = folded(net, "m");
  EXPECT_EQ(plan.removed, Strings{"m"});
  EXPECT_EQ(float_numbers(plan, "w/folded/g"), (Floats{5, 14, 15, 28}));
}

TEST(FoldThrough, FoldsOneNumberBehindAReshapeThatSplitsTheChannels) {
  SmallGraph net;  // heads of an attention, and the scale of its queries
  net.input("x").weight("w", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}).weight("b", {4}, {1, 2, 3, 4});
  net.weight("half", {}, {0.5F}).constant("shape", ints({0, -1, 2, 2}));
  net.node(Kind::matmul, {"x", "w"}, "p").node(Kind::add, {"b", "p"}, "q");
  net.node(Kind::reshape, {"q", "shape"}, "r").node(Kind::transpose, {"r"}, "t");
  net.set(&roles::Permutation::order, {0, 2, 1, 3}).node(Kind::mul, {"t", "half"}, "m");
  Graph graph = net.graph();
  graph.inputs[0].shape = {{Dim{}, Dim{}, Dim{.extent = 2, .symbol = {}}}};
  Node end{.name = "end",
           .type = "Softmax",
           .domain = {},
           .kind = Kind::softmax,
           .inputs = {"m"},
           .outputs = {"y"},
           .attributes = {},
           .subgraphs = {}};
  graph.nodes.push_back(end);
  graph.outputs = {{.name = "y", .dtype = DType::float32, .shape = {}}};
  const Plan plan = fold_through(GraphIndex(graph));
  EXPECT_EQ(plan.removed, Strings{"m"});
  EXPECT_EQ(float_numbers(plan, "w/folded/p"), (Floats{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}));
  EXPECT_EQ(float_numbers(plan, "b/folded/q"), (Floats{0.5, 1, 1.5, 2}));
}

TEST(FoldThrough, LeavesWhatIsAddedToAMatMulBehindAMoveWithoutABias) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2, 1}, {5, 7});
  Graph graph = net.graph();
  graph.inputs[0].shape = {{Dim{}, Dim{.extent = 2, .symbol = {}}}};
  SmallGraph more;
  more.node(Kind::matmul, {"x", "w"}, "p").node(Kind::transpose, {"p"}, "t");
  more.node(Kind::mul, {"t", "k"}, "m").node(Kind::add, {"m", "k"}, "a");
  more.node(Kind::softmax, {"a"}, "y");
  graph.nodes = more.graph().nodes;
  graph.outputs = {{.name = "y", .dtype = DType::float32, .shape = {}}};
  const Plan plan = fold_through(GraphIndex(graph));
  EXPECT_EQ(plan.removed, Strings{"m"});  // the Add stays
  EXPECT_EQ(float_numbers(plan, "w/folded/p"), (Floats{5, 14, 15, 28}));
}

TEST(FoldThrough, LeavesOutputsAndWhatOthersRead) {
  SmallGraph net = conv();
  net.node(Kind::transpose, {"c"}, "t").set(&roles::Permutation::order, {0, 2, 3, 1});
  net.node(Kind::mul, {"t", "last"}, "m").output("m");
  EXPECT_TRUE(folded(net, "m").removed.empty());
  SmallGraph other = conv();
  other.node(Kind::transpose, {"c"}, "t").set(&roles::Permutation::order, {0, 2, 3, 1});
  other.node(Kind::mul, {"t", "last"}, "m").node(Kind::relu, {"t"}, "also");
  EXPECT_TRUE(folded(other, "m").removed.empty());
}

TEST(FoldThrough, LeavesToOthersWhatHasNoMoveInBetween) {
  SmallGraph net = conv();
  net.weight("k", {2, 1, 1}, {5, 7}).node(Kind::mul, {"c", "k"}, "m");
  net.node(Kind::transpose, {"m"}, "t").set(&roles::Permutation::order, {0, 2, 3, 1});
  EXPECT_TRUE(folded(net, "t").removed.empty());
}

}  // namespace
}  // namespace quantlens
