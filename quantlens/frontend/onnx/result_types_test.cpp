// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

Node node_of(const std::string& type) {
  Node node;
  node.type = type;
  node.inputs = {"a", "b", "c"};
  node.outputs = {"y"};
  return node;
}

TEST(ResultTypes, OfACastIsTheOneItNames) {
  Node cast = node_of("Cast");
  cast.attributes["to"] = std::int64_t{6};
  ASSERT_EQ(result_types(cast).size(), 1U);
  EXPECT_EQ(result_types(cast)[0].dtype, DType::int32);
  cast.attributes["to"] = std::int64_t{99};  // none that is known
  EXPECT_TRUE(result_types(cast).empty());
}

TEST(ResultTypes, OfComparisonsAndPositionsAreFixed) {
  EXPECT_EQ(result_types(node_of("Less")).at(0).dtype, DType::boolean);
  EXPECT_EQ(result_types(node_of("NonZero")).at(0).dtype, DType::int64);
  Node top = node_of("TopK");
  top.outputs = {"values", "indices"};
  EXPECT_EQ(result_types(top).at(0).like, 0U);
  EXPECT_FALSE(result_types(top).at(0).dtype);
  EXPECT_EQ(result_types(top).at(1).dtype, DType::int64);
}

TEST(ResultTypes, OfAFilledTensorIsItsValues) {
  Node filled = node_of("ConstantOfShape");
  EXPECT_EQ(result_types(filled).at(0).dtype, DType::float32);
  filled.attributes["value"] = Tensor::from<std::int64_t>({1}, {7});
  EXPECT_EQ(result_types(filled).at(0).dtype, DType::int64);
}

TEST(ResultTypes, OfOthersIsThatOfAnInputOrNotKnown) {
  EXPECT_FALSE(result_types(node_of("Floor")).at(0).dtype);
  EXPECT_EQ(result_types(node_of("Floor")).at(0).like, 0U);
  EXPECT_EQ(result_types(node_of("OneHot")).at(0).like, 2U);
  EXPECT_TRUE(result_types(node_of("SequenceAt")).empty());
  Node foreign = node_of("Floor");
  foreign.domain = "com.example";
  EXPECT_TRUE(result_types(foreign).empty());
}

}  // namespace
}  // namespace quantlens::onnx
