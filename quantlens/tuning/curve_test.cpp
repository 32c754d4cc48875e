// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/curve.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(Curve, GoesThroughTheMediansOfWhatWasSeenAndStraightBetweenThem) {
  const Curve curve({{100, 3}, {100, 50}, {100, 2}, {300, 13}});
  EXPECT_DOUBLE_EQ(curve.at(100), 3);
  EXPECT_DOUBLE_EQ(curve.at(200), 8);
  EXPECT_DOUBLE_EQ(curve.at(300), 13);
}

TEST(Curve, CostsNoLessThanTheFewestSeenAndGrowsInProportionPastMany) {
  const Curve curve({{100, 3}, {30000, 13}});
  EXPECT_DOUBLE_EQ(curve.at(1), 3);
  EXPECT_DOUBLE_EQ(curve.at(60000), 26);
}

TEST(Curve, AFewElementsDoNotTellWhatManyCost) {
  EXPECT_NEAR(Curve({{1000, 3}}).at(601000), 3 + 0.3e-3 * 600000, 1e-9);
}

TEST(Curve, WhereNothingWasSeenNothingCosts) {
  EXPECT_DOUBLE_EQ(Curve({}).at(10), 0);
}

}  // namespace
}  // namespace quantlens
