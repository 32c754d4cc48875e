// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/capability.h"

#include <string>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(Capabilities, OfOnnxAreThoseOfItsRuntime) {
  const Capabilities& able = capabilities_of("onnx");
  ASSERT_NE(able.row(Kind::conv), nullptr);
  EXPECT_TRUE(able.row(Kind::conv)->needs_integer_output);
  EXPECT_FALSE(able.row(Kind::matmul)->needs_integer_output);
  EXPECT_TRUE(able.has(Kind::conv, Role::compute));
  EXPECT_FALSE(able.has(Kind::conv, Role::pass_through));
  EXPECT_TRUE(able.passes_elements(Kind::max_pool));
  EXPECT_FALSE(able.passes_elements(Kind::average_pool));
  EXPECT_FALSE(able.has(Kind::softmax));
  EXPECT_TRUE(able.has_kernel(Kind::softmax)) << "others write codes around it";
}

TEST(Capabilities, TellInWhatTheCpusOfARuntimeDiffer) {
  const Capabilities& able = capabilities_of("onnx");
  EXPECT_TRUE(able.saturates(TargetCpu::avx2));
  EXPECT_TRUE(able.saturates(TargetCpu::avx512));
  EXPECT_FALSE(able.saturates(TargetCpu::vnni));
  EXPECT_FALSE(able.saturates(TargetCpu::arm));
  EXPECT_FALSE(capabilities_of("another").saturates(TargetCpu::avx2));
}

TEST(Capabilities, OfTensorFlowAreProductsAndConvolutionsWithTheirChannelsLast) {
  const Capabilities& able = capabilities_of("graphdef");
  EXPECT_TRUE(able.has(Kind::conv, Role::compute));
  EXPECT_TRUE(able.has(Kind::matmul, Role::compute));
  const auto obstacle = [&](const roles::Convolution& role) {
    Node node = SmallGraph().input("x").node(Kind::conv, {"x", "w"}, "y").graph().nodes[0];
    node.roles = role;
    return std::string(able.obstacle(node));
  };
  roles::Convolution role{.output_axis = 3, .input_axis = 2, .channel_axis = 3};
  EXPECT_EQ(obstacle(role), "");
  role.groups = 2;
  EXPECT_EQ(obstacle(role), "a convolution in groups has no int8 kernel");
  EXPECT_EQ(obstacle({.output_axis = 2, .input_axis = 3, .channel_axis = 3, .groups = 8}), "")
      << "a depthwise one";
  EXPECT_EQ(obstacle({.output_axis = 3, .input_axis = 2}),
            "a convolution whose channels are not last has no int8 kernel");
  EXPECT_EQ(obstacle({.output_axis = 4, .input_axis = 3, .channel_axis = 4}),
            "a convolution over three axes has no int8 kernel");
}

TEST(Capabilities, OfTensorFlowMoveCodesWhereItHasKernels) {
  const Capabilities& able = capabilities_of("graphdef");
  EXPECT_TRUE(able.passes_elements(Kind::max_pool));
  EXPECT_FALSE(able.has(Kind::average_pool)) << "its kernel rounds otherwise";
  const auto obstacle = [&](Kind kind, const std::string& type, Roles roles) {
    Node node = SmallGraph().input("x").node(kind, {"x"}, "y").graph().nodes[0];
    node.type = type;
    node.roles = std::move(roles);
    return std::string(able.obstacle(node));
  };
  roles::Pool pool{.window = {.strides = {2, 2}}, .channel_axis = 3};
  EXPECT_EQ(obstacle(Kind::max_pool, "MaxPool", pool), "");
  pool.window.pads = {1, 1, 1, 1};
  EXPECT_EQ(obstacle(Kind::max_pool, "MaxPool", pool), "a pool with given pads has no int8 kernel");
  pool.channel_axis = 1;
  EXPECT_EQ(obstacle(Kind::max_pool, "MaxPool", pool),
            "a pool over other axes than two, before the channels, has no int8 kernel");
  EXPECT_EQ(obstacle(Kind::pad, "Pad", {}), "");
  EXPECT_EQ(obstacle(Kind::pad, "PadV2", {}), "a pad with other numbers than 0 has no int8 kernel");
  EXPECT_EQ(obstacle(Kind::matmul, "BatchMatMulV2", {}),
            "products of batches of matrices have no int8 kernel");
}

TEST(Capabilities, OfAFormatWithoutATableLeaveAllInFloat) {
  const Capabilities& able = capabilities_of("another");
  EXPECT_TRUE(able.rows().empty());
  EXPECT_FALSE(able.has_kernel(Kind::conv));
  EXPECT_TRUE(able.passes_elements(Kind::reshape)) << "whoever runs it";
  SmallGraph net;
  net.input("x").node(Kind::gemm, {"x", "x"}, "y");
  EXPECT_TRUE(able.obstacle(net.graph().nodes[0]).empty());
}

}  // namespace
}  // namespace quantlens
