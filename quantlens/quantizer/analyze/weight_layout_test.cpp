// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/weight_layout.h"

#include <cstddef>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/analyze/output_channels.h"

namespace quantlens {
namespace {

Node conv(std::size_t output_axis, std::size_t input_axis, std::int64_t groups = 1) {
  Node node;
  node.kind = Kind::conv;
  node.roles =
      roles::Convolution{.output_axis = output_axis, .input_axis = input_axis, .groups = groups};
  return node;
}

/// The number of the element at these places of a weight.
std::size_t number(const Shape& shape, const std::vector<std::size_t>& places) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    at = at * static_cast<std::size_t>(shape[i]) + places[i];
  return at;
}

TEST(WeightLayout, FindsElementsWhereverAFormatHasTheChannels) {
  const WeightLayout first = *weight_layout(conv(0, 1, 2), {4, 3, 5, 7});
  EXPECT_EQ(first.at(2, 1, 4 * 7 + 6), number({4, 3, 5, 7}, {2, 1, 4, 6}));
  EXPECT_EQ(first.first_input(2), 3U) << "of the second group";
  const WeightLayout last = *weight_layout(conv(3, 2), {5, 7, 3, 4});
  EXPECT_EQ(last.outputs, 4U);
  EXPECT_EQ(last.inputs, 3U);
  EXPECT_EQ(last.taps, 35U);
  EXPECT_EQ(last.at(2, 1, 4 * 7 + 6), number({5, 7, 3, 4}, {4, 6, 1, 2}));
}

TEST(WeightLayout, ReachesEachElementOnce) {
  const Shape shape{2, 3, 4, 5};
  for (const auto& node : {conv(0, 1), conv(3, 2), conv(2, 3)}) {
    const WeightLayout layout = *weight_layout(node, shape);
    std::set<std::size_t> seen;
    for (std::size_t o = 0; o < layout.outputs; ++o) {
      for (std::size_t i = 0; i < layout.inputs; ++i) {
        for (std::size_t k = 0; k < layout.taps; ++k) seen.insert(layout.at(o, i, k));
      }
    }
    EXPECT_EQ(seen.size(), 120U);
    EXPECT_EQ(*seen.rbegin(), 119U);
  }
  EXPECT_FALSE(weight_layout(conv(0, 3), shape)) << "the kernel lies between";
}

TEST(OutputChannels, OfAnElementAreThoseOfItsPlaceAlongTheOutputAxis) {
  SmallGraph net;
  const Shape shape{5, 7, 3, 4};
  net.input("x").weight("w", shape, std::vector<float>(420));
  net.node(Kind::conv, {"x", "w"}, "y").set(&roles::Convolution::output_axis, 3);
  net.set(&roles::Convolution::input_axis, 2).set(&roles::Convolution::channel_axis, 3);
  const GraphIndex index(net.graph());
  const auto channels = output_channels(index, {}, net.graph().nodes[0]);
  ASSERT_TRUE(channels);
  EXPECT_EQ(channels->count, 4U);
  EXPECT_EQ(channels->from_end, 1U) << "the result has its channels last";
  EXPECT_EQ(channels->of(number(shape, {4, 6, 1, 2}), 420), 2U);
}

}  // namespace
}  // namespace quantlens
