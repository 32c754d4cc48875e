// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/roles_of.h"

#include <gmock/gmock.h>

#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Node node_of(Kind kind, Roles roles = {}) {
  Node node;
  node.kind = kind;
  node.inputs = {"0", "1", "2", "3"};
  node.roles = std::move(roles);
  return node;
}

TEST(RolesOf, AreThoseOfTheKindWhereTheNodeSaysNothing) {
  EXPECT_EQ(weight_of(node_of(Kind::conv)), "1");
  EXPECT_EQ(bias_of(node_of(Kind::conv)), "2");
  EXPECT_EQ(bias_of(node_of(Kind::matmul)), "") << "it has no place for one";
  EXPECT_EQ(weight_of(node_of(Kind::qconv)), "3");
  EXPECT_EQ(bias_of(node_of(Kind::qconv)), "") << "past its inputs";
  EXPECT_EQ(data_of(node_of(Kind::add)), "");
  EXPECT_EQ(axis_of(node_of(Kind::flatten)), 1);
  EXPECT_EQ(axis_of(node_of(Kind::softmax)), std::nullopt);
}

TEST(RolesOf, AreTheNodesOwnWhereItHasSome) {
  const Node swapped =
      node_of(Kind::conv,
              roles::Convolution{.operands = {.data = 1, .weight = 0, .bias = {}}, .groups = 4});
  EXPECT_EQ(data_of(swapped), "1");
  EXPECT_EQ(weight_of(swapped), "0");
  EXPECT_EQ(groups_of(swapped), 4);
  const Node fused = node_of(Kind::other, roles::MatrixProduct{.transposes_a = true, .alpha = 2});
  EXPECT_TRUE(transposes_a(fused));
  EXPECT_EQ(alpha_of(fused), 2);
}

TEST(WeightAxes, OfAMatrixAreItsLastTwo) {
  EXPECT_EQ(weight_axes(node_of(Kind::matmul), 3)->output, 2U);
  EXPECT_EQ(weight_axes(node_of(Kind::matmul), 3)->input, 1U);
  const Node turned = node_of(Kind::gemm, roles::MatrixProduct{.transposes_b = true});
  EXPECT_EQ(weight_axes(turned, 2)->output, 0U);
  EXPECT_EQ(weight_axes(turned, 2)->input, 1U);
  EXPECT_FALSE(weight_axes(turned, 1));
}

TEST(WeightAxes, OfAConvolutionAreWhereItsRolesSay) {
  EXPECT_EQ(weight_axes(node_of(Kind::conv), 4)->output, 0U);
  EXPECT_EQ(weight_axes(node_of(Kind::conv_transpose), 4)->output, 1U);
  const Node last = node_of(Kind::conv, roles::Convolution{.output_axis = 3, .input_axis = 2});
  EXPECT_EQ(weight_axes(last, 4)->output, 3U);
  EXPECT_FALSE(weight_axes(last, 2));
  EXPECT_FALSE(weight_axes(last, 3)) << "there is no such axis";
  EXPECT_FALSE(weight_axes(node_of(Kind::conv, roles::Convolution{.channel_axis = 4}), 4));
  EXPECT_FALSE(weight_axes(node_of(Kind::add), 4));
}

TEST(AxesNamed, AreTheOpsOwnOrThoseOfAConstant) {
  SmallGraph net;
  net.input("x").constant("axes", Tensor::from<std::int64_t>({2}, {0, -1}));
  net.node(Kind::squeeze, {"x"}, "a").set(&roles::NamedAxes::axes, {2});
  net.node(Kind::unsqueeze, {"a", "axes"}, "b").node(Kind::squeeze, {"b", "x"}, "c");
  const GraphIndex index(net.graph());
  EXPECT_THAT(axes_named(index, net.graph().nodes[0]), ElementsAre(2));
  EXPECT_THAT(axes_named(index, net.graph().nodes[1]), ElementsAre(0, -1));
  EXPECT_THAT(axes_named(index, net.graph().nodes[2]), IsEmpty()) << "they are computed";
}

TEST(IsPadded, ByNumbersOrToFit) {
  EXPECT_FALSE(is_padded(roles::Window{.pads = {0, 0}}));
  EXPECT_TRUE(is_padded(roles::Window{.pads = {0, 1}}));
  EXPECT_TRUE(is_padded(roles::Window{.pads_to_fit = true}));
}

}  // namespace
}  // namespace quantlens
