// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/percent_encoding.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(PercentEncoding, KeepsWhatIsPlain) {
  EXPECT_EQ(percent_encoded("a-B_9."), "a-B_9.");
  EXPECT_EQ(percent_encoded("/x y&\xC3\xA9"), "%2Fx%20y%26%C3%A9");
  EXPECT_EQ(percent_encoded("a/b~c d", "~/"), "a/b~c%20d");
}

}  // namespace
}  // namespace quantlens
