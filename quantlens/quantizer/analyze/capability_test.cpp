// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/capability.h"

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
