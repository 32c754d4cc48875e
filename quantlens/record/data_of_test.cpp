// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/data_of.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(DataOf, IsTheFirstOfItsRole) {
  Workload run;
  EXPECT_EQ(data_of(run, DataRole::samples), nullptr);
  run.data = {{.role = DataRole::calibration, .data = "dev.npz"},
              {.role = DataRole::samples, .data = "first.npz"},
              {.role = DataRole::samples, .data = "second.npz"}};
  EXPECT_EQ(data_of(run, DataRole::samples)->data, "first.npz");
  EXPECT_EQ(data_of(run, DataRole::calibration), run.data.data());
}

}  // namespace
}  // namespace quantlens
