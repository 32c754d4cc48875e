// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/correlation.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;

using Numbers = std::vector<double>;

TEST(Ranks, AreSharedByEqualNumbers) {
  EXPECT_THAT(ranks(Numbers{30, 10, 20, 10}), ElementsAre(4, 1.5, 3, 1.5));
  EXPECT_THAT(ranks(Numbers{5, 5, 5}), ElementsAre(2, 2, 2));
  EXPECT_THAT(ranks(Numbers{}), ElementsAre());
}

TEST(Spearman, IsOneForAnyRisingFunction) {
  const Numbers x{-3, 0.5, 2, 7, 100};
  Numbers y;
  for (const double value : x) y.push_back(std::exp(value / 10));
  EXPECT_DOUBLE_EQ(spearman(x, y), 1);
  for (double& value : y) value = -value;
  EXPECT_DOUBLE_EQ(spearman(x, y), -1);
}

// C. Spearman's own kind of example: IQ and hours of television of ten people, rho = -29/165.
TEST(Spearman, OfTenPeopleIsThatOfTheTextbook) {
  const Numbers iq{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const Numbers hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(spearman(iq, hours), -29.0 / 165, 1e-15);
}

TEST(Spearman, OfTiesIsPearsonsOfTheirRanks) {
  // by hand: ranks 1.5 1.5 3 4 and 1 2 3.5 3.5; sums of products of deviations 4.5, of squares 4.5
  // and 4.5
  EXPECT_NEAR(spearman(Numbers{1, 1, 2, 3}, Numbers{0, 5, 9, 9}),
              (1.0 * 1.5 + 1.0 * 0.5 + 0.5 * 1.0 + 1.5 * 1.0) / 4.5, 1e-15);
}

TEST(Spearman, OfAConstantOrOfOneIsZero) {
  EXPECT_EQ(spearman(Numbers{1, 1, 1}, Numbers{1, 2, 3}), 0);
  EXPECT_EQ(spearman(Numbers{4}, Numbers{5}), 0);
  EXPECT_EQ(spearman(Numbers{}, Numbers{}), 0);
}

}  // namespace
}  // namespace quantlens
