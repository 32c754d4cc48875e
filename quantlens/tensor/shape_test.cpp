// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/shape.h"

#include <limits>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(ElementCount, MultipliesExtents) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{1, 3, 224, 224}), 150528);
  EXPECT_EQ(element_count(Shape{kHuge}), kHuge);
  EXPECT_EQ(element_count(Shape{4, 0, 2}), 0);
}

TEST(ElementCount, IsNothingForNegativeExtentsAndOverflow) {
  EXPECT_EQ(element_count(Shape{2, -1}), std::nullopt);
  EXPECT_EQ(element_count(Shape{0, -1}), std::nullopt);
  EXPECT_EQ(element_count(Shape{kHuge, 2}), std::nullopt);
  EXPECT_EQ(element_count(Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);
}

TEST(ElementCount, SeesAnOverflowThatAZeroWouldHide) {
  EXPECT_EQ(element_count(Shape{0, kHuge, kHuge}), std::nullopt);
}

TEST(ShapeText, ListsExtents) {
  EXPECT_EQ(to_string(Shape{1, 3, 224, 224}), "[1,3,224,224]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

}  // namespace
}  // namespace quantlens
