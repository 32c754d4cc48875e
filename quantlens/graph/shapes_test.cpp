// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/shapes.h"

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

Dim of(std::int64_t extent) {
  return {.extent = extent, .symbol = {}};
}

const Dim kOpenDim;
const Dim kBatchDim{.extent = {}, .symbol = "batch"};
const Dim kSteps{.extent = {}, .symbol = "steps"};

Shapes shapes_of(const SmallGraph& net, const std::vector<Dim>& input) {
  Graph graph = net.graph();
  graph.inputs[0].shape = input;
  return shapes(GraphIndex(graph));
}

Tensor integers(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from<std::int64_t>({count}, std::move(values));
}

TEST(Shapes, CarryTheNamesOfTheFile) {
  SmallGraph net;
  net.input("x").weight("w", {4, 3, 3, 3}, std::vector<float>(108));
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::global_average_pool, {"c"}, "g");
  net.node(Kind::flatten, {"g"}, "f");
  const Shapes known = shapes_of(net, {kBatchDim, of(3), of(8), kSteps});
  EXPECT_EQ(known.at("c"), (Dims{kBatchDim, of(4), of(6), kOpenDim}));
  EXPECT_EQ(known.at("f"), (Dims{kBatchDim, of(4)}));
}

TEST(Shapes, FollowPartsOfADimension) {
  SmallGraph net;
  net.input("x").constant("two", integers({1, 5})).constant("begin", integers({1}));
  net.constant("end", integers({-1})).constant("axis", integers({1}));
  net.node(Kind::slice, {"x", "begin", "end", "axis"}, "s").node(Kind::slice, {"x"}, "open");
  Graph graph = net.graph();
  graph.inputs[0].shape = {kBatchDim, of(6)};
  Node split{.name = {}, .type = "Split", .domain = {}, .kind = Kind::split};
  split.inputs = {"x", "two"};
  split.outputs = {"c", "d"};
  split.roles = roles::AxisChoice{.axis = -1};
  graph.nodes.push_back(split);
  const Shapes known = shapes(GraphIndex(graph));
  EXPECT_EQ(known.at("c"), (Dims{kBatchDim, of(1)}));
  EXPECT_EQ(known.at("d"), (Dims{kBatchDim, of(5)}));
  EXPECT_EQ(known.at("s"), (Dims{kBatchDim, of(4)}));
  EXPECT_EQ(known.at("open"), (Dims{kOpenDim, kOpenDim})) << "as many axes as the data";
}

TEST(Shapes, OfAGatherHaveTheIndicesInTheAxisPlace) {
  SmallGraph net;
  net.input("ids").weight("table", {1000, 384}, std::vector<float>(384000));
  net.node(Kind::gather, {"table", "ids"}, "rows");
  EXPECT_EQ(shapes_of(net, {kBatchDim, kSteps}).at("rows"), (Dims{kBatchDim, kSteps, of(384)}));
}

TEST(Shapes, OfAReductionGoByTheAxesThatAreNamed) {
  const auto reduced = [](const roles::Reduction& how, const char* axes = nullptr) {
    SmallGraph net;
    net.input("x").constant("last", integers({-1}));
    net.node(Kind::reduce_mean,
             axes == nullptr ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", axes},
             "y");
    Graph graph = net.graph();
    graph.nodes.back().roles = how;
    graph.inputs[0].shape = {kBatchDim, of(3), of(8)};
    const Shapes known = shapes(GraphIndex(graph));
    const auto found = known.find("y");
    return found == known.end() ? std::optional<Dims>() : std::optional(found->second);
  };
  EXPECT_EQ(reduced({.axes = {1}}), (Dims{kBatchDim, of(1), of(8)}));
  EXPECT_EQ(reduced({.keeps_axes = false, .axes = {-1, 1}}), (Dims{kBatchDim}));
  EXPECT_EQ(reduced({}, "last"), (Dims{kBatchDim, of(3), of(1)}));
  EXPECT_EQ(reduced({}), (Dims{of(1), of(1), of(1)}));
  EXPECT_EQ(reduced({.keeps_axes = false}), Dims());
  EXPECT_EQ(reduced({.takes_all = false}), (Dims{kBatchDim, of(3), of(8)}));
  EXPECT_NE(reduced({}, "x"), (Dims{of(1), of(1), of(1)})) << "whatever the input names";
  EXPECT_NE(reduced({.axes = {5}}), (Dims{kBatchDim, of(3), of(8)})) << "there is no such axis";
}

TEST(Shapes, ThatTheFileSaysStayUnlessANumberSaysMore) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "y").node(Kind::relu, {"y"}, "z");
  Graph graph = net.graph();
  graph.inputs[0].shape = {kBatchDim, of(3)};
  graph.values["y"] = {.name = "y", .dtype = {}, .shape = {{kSteps, kSteps}}};
  graph.values["z"] = {.name = "z", .dtype = {}, .shape = {{of(1), of(2), of(3)}}};
  const Shapes known = shapes(GraphIndex(graph));
  EXPECT_EQ(known.at("y"), (Dims{kSteps, of(3)}));
  EXPECT_EQ(known.at("z"), (Dims{of(1), of(2), of(3)}));
}

TEST(Shapes, OfAConvolutionWithItsChannelsLastHaveThemLast) {
  SmallGraph net;
  net.input("x").weight("w", {8, 3, 3, 3}, std::vector<float>(216));
  net.node(Kind::conv, {"x", "w"}, "c").set(&roles::Convolution::channel_axis, 3);
  EXPECT_EQ(shapes_of(net, {kBatchDim, of(6), of(5), of(3)}).at("c"),
            (Dims{kBatchDim, of(4), of(3), of(8)}));
}

TEST(Shapes, OfAPoolWithItsChannelsLastHaveThemLast) {
  SmallGraph net;
  net.input("x").node(Kind::max_pool, {"x"}, "y").set(&roles::Pool::channel_axis, 3);
  net.set(&roles::Pool::window, {.kernel = {2, 3}, .strides = {2, 1}});
  EXPECT_EQ(shapes_of(net, {kBatchDim, of(6), of(5), of(7)}).at("y"),
            (Dims{kBatchDim, of(3), of(3), of(7)}));
}

TEST(Shapes, OfProductsFollowWhatIsTransposed) {
  SmallGraph net;
  net.input("x").weight("w", {8, 5}, std::vector<float>(40));
  net.node(Kind::matmul, {"x", "w"}, "y").set(&roles::MatrixProduct::transposes_b, true);
  EXPECT_EQ(shapes_of(net, {kBatchDim, of(5)}).at("y"), (Dims{kBatchDim, of(8)}));
}

TEST(Shapes, OfASqueezeOfAllAxesLeaveOutThoseOfOne) {
  SmallGraph net;
  net.input("x").node(Kind::squeeze, {"x"}, "y");
  EXPECT_EQ(shapes_of(net, {of(1), of(5), of(1)}).at("y"), (Dims{of(5)}));
  EXPECT_FALSE(shapes_of(net, {kBatchDim, of(5)}).contains("y")) << "one that may be 1";
}

TEST(Shapes, OfFunctionsOfElementsAreThoseOfTheirInputs) {
  SmallGraph net;
  net.input("x").weight("w", {3, 1}, std::vector<float>(3)).node(Kind::other, {"x", "w"}, "y");
  Graph graph = net.graph();
  graph.inputs[0].shape = Dims{kBatchDim, of(3), of(5)};
  EXPECT_FALSE(shapes(GraphIndex(graph)).contains("y"));
  graph.nodes[0].roles = roles::Elementwise{};
  EXPECT_EQ(shapes(GraphIndex(graph)).at("y"), (Dims{kBatchDim, of(3), of(5)}));
}

}  // namespace
}  // namespace quantlens
