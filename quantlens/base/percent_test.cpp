// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/percent.h"

#include <cmath>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(PercentText, HasTwoDigitsAndNoExponent) {
  EXPECT_EQ(percent_text(0), "0");
  EXPECT_EQ(percent_text(0.00012), "0.012");
  EXPECT_EQ(percent_text(0.001), "0.10");
  EXPECT_EQ(percent_text(0.0345), "3.5");
  EXPECT_EQ(percent_text(0.566), "57");
  EXPECT_EQ(percent_text(0.994), "99");
  EXPECT_EQ(percent_text(1), "100");
  for (double share = 1; share > 1e-12; share *= 0.77) {
    EXPECT_EQ(percent_text(share).find('e'), percent_text(share).find("er")) << share;
  }
}

TEST(PercentText, IsNeitherNothingNorAllWhereItIsNotSo) {
  EXPECT_EQ(percent_text(1e-9), "under 0.001");
  EXPECT_EQ(percent_text(std::nextafter(1.0, 0.0)), "over 99");
}

TEST(ChangeText, HasTwoDecimalsAndNoExponent) {
  EXPECT_EQ(change_text(-0.5), "-50.00 %");
  EXPECT_EQ(change_text(-1e-9), "0.00 %");
  EXPECT_EQ(change_text(123.456), "12345.60 %");
  EXPECT_EQ(change_text(1e300), "over 1000000 %");
  EXPECT_EQ(change_text(-1e300), "under -1000000 %");
  EXPECT_EQ(change_text(-std::nan("")), "nan %");
}

}  // namespace
}  // namespace quantlens
