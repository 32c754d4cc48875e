// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/own_error.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// Local error of which a quarter is the op's own; half of the outputs' begins there.
ActivationRow row_of_own_quarter() {
  ActivationRow row;
  row.local_mse = 4;
  row.input_mse = 3;
  row.local_sqnr_db = 20;
  row.output_share = 0.5;
  return row;
}

TEST(OwnError, IsTheLocalOneWithoutTheInputs) {
  const ActivationRow row = row_of_own_quarter();
  EXPECT_EQ(own_mse(row), 1);
  EXPECT_DOUBLE_EQ(own_error(row), 0.01 / 4);
  EXPECT_TRUE(makes_error(row));
}

TEST(OwnError, IsNoneOfWhatOnlyMovesOrPassesOn) {
  ActivationRow row = row_of_own_quarter();
  row.input_mse = 4;
  EXPECT_EQ(own_error(row), 0);
  EXPECT_FALSE(makes_error(row)) << "all of it is what codes before make";
  EXPECT_EQ(own_error(ActivationRow()), 0);
  EXPECT_FALSE(makes_error(ActivationRow())) << "not measured";
}

TEST(OwnError, WithoutAShareOfTheOutputsIsNotMade) {
  ActivationRow row = row_of_own_quarter();
  row.output_share = 1e-4;
  EXPECT_FALSE(makes_error(row));
  row.output_share.reset();
  EXPECT_FALSE(makes_error(row));
}

}  // namespace
}  // namespace quantlens
