// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/open.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

Errc refusal(const Model& reference, const Model* quantized) {
  try {
    open(reference, quantized, {}, {});
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "it was opened";
  return Errc::failed;
}

TEST(Open, RefusesFormatsThatNoRuntimeRuns) {
  Model onnx, other;
  onnx.format = "onnx";
  other.format = "caffe";
  EXPECT_EQ(refusal(other, nullptr), Errc::unsupported);
  EXPECT_EQ(refusal(onnx, &other), Errc::unsupported);
}

TEST(Runtimes, SayWhereTheyAreOrWhyNot) {
  const std::vector<RuntimeStatus> all = runtimes();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "onnxruntime");
  EXPECT_NE(all[0].available, all[0].where.empty());
  EXPECT_EQ(all[0].available, all[0].problem.empty());
  EXPECT_EQ(all[1].name, "oracle");
  EXPECT_TRUE(all[1].available);
  EXPECT_EQ(all[2].name, "tensorflow");
  EXPECT_NE(all[2].available, all[2].where.empty());
  EXPECT_EQ(all[2].available, all[2].problem.empty());
}

}  // namespace
}  // namespace quantlens
