// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/loss.h"

#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

TEST(Loss, IsAShareOrInTheFiguresUnit) {
  EXPECT_DOUBLE_EQ(loss_of(0.5, -0.1, true, false), 0.2);
  EXPECT_DOUBLE_EQ(loss_of(0.5, -0.1, true, true), 0.1);
  EXPECT_DOUBLE_EQ(loss_of(4, 1, false, false), 0.25) << "of what lower is better of, a rise";
  EXPECT_LT(loss_of(0.5, 0.1, true, false), 0) << "a gain";
  EXPECT_TRUE(std::isinf(loss_of(0, -0.1, true, false)));
  EXPECT_EQ(loss_of(0, 0, true, false), 0);
  EXPECT_TRUE(std::isinf(loss_of(0.5, std::nan(""), true, false)));
}

TEST(Loss, OfJustWhatIsAllowedIsWithinIt) {
  EXPECT_TRUE(is_within_loss(0.1 + 0.2, 0.3));
  EXPECT_FALSE(is_within_loss(0.300001, 0.3));
}

TEST(Loss, OfAllIsNotAllowed) {
  EXPECT_THROW(check_allowed_loss(1, true, false), Error);
  check_allowed_loss(0.99, true, false);
  check_allowed_loss(2, true, true);
  check_allowed_loss(2, false, false);
}

}  // namespace
}  // namespace quantlens
