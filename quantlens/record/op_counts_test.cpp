// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/op_counts.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(OpCounts, LeaveOutConstantsAlone) {
  std::vector<OpPlan> ops(5);
  ops[0] = {.kind = Kind::conv, .quantized = true, .precision = Precision::int8};
  ops[1] = {.kind = Kind::gather, .quantized = true, .precision = Precision::w8};
  ops[2] = {.kind = Kind::constant};
  ops[3] = {.kind = Kind::shape_of};
  ops[4] = {.kind = Kind::matmul, .precision = Precision::fp16, .form = OpForm::fp16};
  const OpCounts counts = op_counts(ops);
  EXPECT_EQ(counts.quantized, 2U);
  EXPECT_EQ(counts.in_float, 2U);
  EXPECT_EQ(counts.all(), 4U);
  EXPECT_EQ(op_counts({}).all(), 0U);
}

}  // namespace
}  // namespace quantlens
