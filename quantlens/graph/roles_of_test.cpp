// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/roles_of.h"

#include <gmock/gmock.h>

#include "quantlens/graph/testing/small_graph.h"

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

TEST(InputsByRole, AreWhereTheKindHasThem) {
  Node node = node_of(Kind::quantize);
  EXPECT_EQ(scale_of(node), "1");
  EXPECT_EQ(zero_point_of(node), "2");
  node = node_of(Kind::batch_norm);
  EXPECT_EQ(scale_of(node), "1");
  EXPECT_EQ(zero_point_of(node), "") << "it has none";
  node = node_of(Kind::clip);
  EXPECT_EQ(low_bound_of(node), "1");
  EXPECT_EQ(high_bound_of(node), "2");
  EXPECT_EQ(new_shape_of(node_of(Kind::reshape)), "1");
  EXPECT_EQ(repetition_of(node_of(Kind::expand)), "1");
  EXPECT_EQ(repetition_of(node_of(Kind::tile)), "1");
  EXPECT_EQ(part_extents_of(node_of(Kind::split)), "1");
  node = node_of(Kind::pad);
  EXPECT_EQ(pads_of(node), "1");
  EXPECT_EQ(filling_of(node), "2");
  EXPECT_EQ(axes_input_of(node), "3");
  node = node_of(Kind::slice);
  EXPECT_EQ(begins_of(node), "1");
  EXPECT_EQ(ends_of(node), "2");
  EXPECT_EQ(axes_input_of(node), "3");
  EXPECT_EQ(steps_of(node), "") << "past its inputs";
  for (const Kind kind : {Kind::squeeze, Kind::unsqueeze, Kind::reduce_mean})
    EXPECT_EQ(axes_input_of(node_of(kind)), "1");
  for (const Kind kind : {Kind::gather, Kind::gather_elements, Kind::gather_blocks})
    EXPECT_EQ(indices_of(node_of(kind)), "1");
}

TEST(InputsByRole, AreWhereTheNodeSaysItHasThem) {
  EXPECT_EQ(scale_of(node_of(Kind::dequantize, roles::Coding{.operands = {.scale = 3}})), "3");
  EXPECT_EQ(pads_of(node_of(Kind::pad, roles::Padding{.operands = {.pads = 2}})), "2");
  EXPECT_EQ(begins_of(node_of(Kind::slice, roles::Slicing{.operands = {.begins = 3}})), "3");
  EXPECT_EQ(indices_of(node_of(Kind::gather, roles::AxisChoice{.operands = {.indices = 0}})), "0");
  EXPECT_EQ(axes_input_of(node_of(Kind::squeeze, roles::NamedAxes{.operands = {.axes = 2}})), "2");
  EXPECT_EQ(repetition_of(node_of(Kind::tile, roles::Repetition{.operands = {.extents = 2}})), "2");
}

TEST(InputsByRole, AreNoneOfOtherOps) {
  const Node node = node_of(Kind::concat);
  EXPECT_EQ(indices_of(node), "") << "it has an axis, and picks nothing";
  EXPECT_EQ(part_extents_of(node), "");
  EXPECT_EQ(scale_of(node), "");
  EXPECT_EQ(axes_input_of(node), "");
  EXPECT_EQ(begins_of(node), "");
}

TEST(InputsByRole, TwoOperandsAreInTheOrderThatAllFormatsHave) {
  EXPECT_EQ(left_of(node_of(Kind::sub)), "0");
  EXPECT_EQ(right_of(node_of(Kind::sub)), "1");
  const Node product =
      node_of(Kind::matmul, roles::MatrixProduct{.operands = {.data = 2, .weight = 0, .bias = {}}});
  EXPECT_EQ(left_of(product), "2");
  EXPECT_EQ(right_of(product), "0");
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
