// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"
#include "quantlens/record/op_refs.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ChannelLimits kAll{.channels_of_a_histogram = 1};

/// Marks the channels of every value that a node makes, and of the inputs; by value.
std::map<std::string, ValuePair> marked(const SmallGraph& net, ChannelLimits limits = kAll) {
  Pairing pairing;
  for (const ValueInfo& input : net.graph().inputs) {
    pairing.pairs.push_back({.op = op_ref(input.name), .reference = input.name});
  }
  for (const Node& node : net.graph().nodes) {
    pairing.pairs.push_back({.op = ref_of(node), .reference = op_id(node)});
  }
  mark_channels(GraphIndex(net.graph()), prepare(net.graph()), pairing, limits);
  std::map<std::string, ValuePair> by_value;
  for (const ValuePair& pair : pairing.pairs) by_value[pair.reference] = pair;
  return by_value;
}

/// A conv of `reaches.size()` channels whose greatest weights are these, signs and all.
SmallGraph& conv(SmallGraph& net, const std::string& x, const std::string& y,
                 const std::vector<float>& reaches) {
  std::vector<float> weights;
  for (const float reach : reaches) weights.insert(weights.end(), {reach / 2, reach});
  net.weight("w_" + y, {static_cast<std::int64_t>(reaches.size()), 2, 1, 1}, weights);
  return net.node(Kind::conv, {x, "w_" + y}, y);
}

TEST(MarkChannels, TakesTheWidestAndTheNarrowestWeights) {
  SmallGraph net;
  conv(net.input("x"), "x", "y", {3, -9, 1, 5, 0.5F, 4});
  const auto pairs = marked(net, {.histograms_of_one = 4, .channels_of_a_histogram = 1});
  EXPECT_EQ(pairs.at("y").channel_axis, 1);
  EXPECT_THAT(pairs.at("y").channel_histograms, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(marked(net).at("y").channel_histograms, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(pairs.at("x").channel_axis, 1) << "the colours of an image";
  EXPECT_THAT(pairs.at("x").channel_histograms, ElementsAre(0, 1));
}

TEST(MarkChannels, FollowsThemWhereTheyComeLast) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 2, 3}, {1, 5, 3, -2, 9, 1});
  net.node(Kind::conv, {"x", "w"}, "y").set(&roles::Convolution::output_axis, 3);
  net.set(&roles::Convolution::input_axis, 2).set(&roles::Convolution::channel_axis, 3);
  net.node(Kind::max_pool, {"y"}, "pooled").set(&roles::Pool::channel_axis, 3);
  net.node(Kind::max_pool, {"y"}, "across");
  const auto pairs = marked(net);
  EXPECT_EQ(pairs.at("x").channel_axis, 3);
  EXPECT_EQ(pairs.at("y").channel_axis, 3);
  EXPECT_EQ(pairs.at("pooled").channel_axis, 3);
  EXPECT_FALSE(pairs.at("across").channel_axis) << "a pool that takes another axis for channels";
}

TEST(MarkChannels, TakesThoseThatHaveScalesOfTheirOwnWhereNothingElseTells) {
  SmallGraph net;
  net.input("x").node(Kind::softmax, {"x"}, "y").output("y");
  Pairing pairing;
  pairing.pairs = {{.op = op_ref("y"), .reference = "y"}, {.op = op_ref("y"), .reference = "y"}};
  pairing.pairs[1].scheme = Scheme{.dtype = DType::uint8, .axis = 2};
  pairing.pairs[1].channel_params = {{0.1F, 0}, {0.2F, 0}};
  mark_channels(GraphIndex(net.graph()), prepare(net.graph()), pairing, kAll);
  EXPECT_FALSE(pairing.pairs[0].channel_axis);
  EXPECT_EQ(pairing.pairs[1].channel_axis, 2);
  EXPECT_THAT(pairing.pairs[1].channel_histograms, IsEmpty());
}

TEST(MarkChannels, FollowsWhatComputesElementByElement) {
  SmallGraph net;
  conv(net.input("x"), "x", "a", {1, 2, 3});
  net.node(Kind::relu, {"a"}, "r").node(Kind::max_pool, {"r"}, "p");
  net.weight("half", {1}, {0.5F}).node(Kind::mul, {"p", "half"}, "m");
  net.node(Kind::add, {"m", "r"}, "s").node(Kind::reshape, {"s", "half"}, "lost");
  net.node(Kind::transpose, {"s"}, "t").set(&roles::Permutation::order, {0, 2, 3, 1});
  net.node(Kind::relu, {"t"}, "tr").node(Kind::max_pool, {"tr"}, "tp");
  const auto pairs = marked(net);
  for (const char* value : {"r", "p", "m", "s"}) {
    EXPECT_EQ(pairs.at(value).channel_axis, 1) << value;
    EXPECT_THAT(pairs.at(value).channel_histograms, ElementsAre(0, 2)) << value;
  }
  EXPECT_EQ(pairs.at("t").channel_axis, 3);
  EXPECT_EQ(pairs.at("tr").channel_axis, 3);
  EXPECT_FALSE(pairs.at("tp").channel_axis) << "a pool over the channels mixes them";
  EXPECT_FALSE(pairs.at("lost").channel_axis);
}

TEST(MarkChannels, OfMatricesLieAlongTheLastAxis) {
  SmallGraph net;
  net.input("x").weight("w", {2, 3}, {1, 5, 3, 1, 5, 3});
  net.node(Kind::gemm, {"x", "w"}, "g");
  net.node(Kind::matmul, {"g", "v"}, "m").weight("v", {3, 2}, {1, 2, 3, 4, 5, 6});
  net.node(Kind::matmul, {"x", "v"}, "unknown");
  net.node(Kind::matmul, {"x", "g"}, "dynamic");
  net.node(Kind::reshape, {"g", "shape"}, "r").node(Kind::matmul, {"r", "g"}, "values");
  net.constant("shape", Tensor::from<std::int64_t>({3}, {1, -1, 3}));
  net.node(Kind::reshape, {"m", "shape"}, "lost");
  net.node(Kind::concat, {"r", "token"}, "c").set(&roles::AxisChoice::axis, 1);
  net.weight("token", {1, 1, 3}, {1, 2, 3});
  const auto pairs = marked(net, {.histograms_of_one = 2, .channels_of_a_histogram = 1});
  EXPECT_EQ(pairs.at("r").channel_axis, 2);
  EXPECT_EQ(pairs.at("c").channel_axis, 2) << "what is joined along another axis";
  EXPECT_EQ(pairs.at("values").channel_axis, 2) << "as attention multiplies values";
  EXPECT_FALSE(pairs.at("lost").channel_axis);
  EXPECT_EQ(pairs.at("g").channel_axis, 1);
  EXPECT_THAT(pairs.at("g").channel_histograms, ElementsAre(0, 1));
  EXPECT_EQ(pairs.at("m").channel_axis, 1);
  EXPECT_FALSE(pairs.at("unknown").channel_axis) << "the rank of x is not known";
  EXPECT_FALSE(pairs.at("dynamic").channel_axis);
}

TEST(MarkChannels, OfAConcatStandSideBySide) {
  SmallGraph net;
  conv(net.input("x"), "x", "a", {1, 9});
  conv(net, "x", "b", {7, 1, 3});
  net.node(Kind::concat, {"a", "b"}, "c").set(&roles::AxisChoice::axis, 1);
  net.node(Kind::concat, {"a", "a"}, "rows").set(&roles::AxisChoice::axis, 2);
  net.node(Kind::add, {"a", "b"}, "unequal");
  const auto pairs = marked(net, {.histograms_of_one = 2, .channels_of_a_histogram = 1});
  EXPECT_EQ(pairs.at("c").channel_axis, 1);
  EXPECT_THAT(pairs.at("c").channel_histograms, ElementsAre(1, 2)) << "the widest of each";
  EXPECT_EQ(pairs.at("rows").channel_axis, 1);
  EXPECT_FALSE(pairs.at("unequal").channel_axis);
}

TEST(MarkChannels, KeepsItsLimits) {
  SmallGraph net;
  const std::vector<float> eight{1, 2, 3, 4, 5, 6, 7, 8};
  net.input("x");
  for (const char* value : {"a", "b", "c", "d"}) conv(net, "x", value, eight);
  auto pairs = marked(net, {.channels = 26, .histograms = 20, .channels_of_a_histogram = 1});
  EXPECT_EQ(pairs.at("x").channel_histograms.size(), 2U);
  EXPECT_THAT(pairs.at("a").channel_histograms, ElementsAre(0, 1, 6, 7)) << "20 over 4 pairs";
  EXPECT_EQ(pairs.at("c").channel_axis, 1);
  EXPECT_FALSE(pairs.at("d").channel_axis) << "2 + 8 + 8 + 8 are 26";
  EXPECT_THAT(pairs.at("d").channel_histograms, IsEmpty());
  pairs = marked(net, {.histograms = 3, .channels_of_a_histogram = 1});
  EXPECT_THAT(pairs.at("x").channel_histograms, ElementsAre(0, 1)) << "never fewer than two";
  EXPECT_THAT(pairs.at("a").channel_histograms, ElementsAre(7)) << "until there are none left";
  EXPECT_EQ(pairs.at("d").channel_axis, 1);
}

TEST(MarkChannels, MarksFewerWhereThereAreFew) {
  SmallGraph net;
  conv(net.input("x"), "x", "a", std::vector<float>(33, 1));
  conv(net, "x", "b", {1, 2, 3});
  const auto pairs = marked(net, {});
  EXPECT_EQ(pairs.at("a").channel_histograms.size(), 4U) << "one in eight";
  EXPECT_EQ(pairs.at("b").channel_histograms.size(), 2U);
}

TEST(MarkChannels, LeavesOutWhatIsOnlyMoved) {
  SmallGraph net;
  conv(net.input("x"), "x", "y", {1, 2});
  Pairing pairing;
  pairing.pairs = {{.reference = "y"}, {.reference = "y", .same_as = 0}};
  mark_channels(GraphIndex(net.graph()), prepare(net.graph()), pairing);
  EXPECT_TRUE(pairing.pairs[0].channel_axis);
  EXPECT_FALSE(pairing.pairs[1].channel_axis);
}

}  // namespace
}  // namespace quantlens
