// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/counted.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(Counted, OneIsNoPlural) {
  EXPECT_EQ(counted(0, "op"), "0 ops");
  EXPECT_EQ(counted(1, "op"), "1 op");
  EXPECT_EQ(counted(6, "op"), "6 ops");
}

}  // namespace
}  // namespace quantlens
