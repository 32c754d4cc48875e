// SPDX-License-Identifier: Apache-2.0
#include "server/gate/failures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

using std::chrono::seconds;

const Failures::Time kStart{seconds(1000)};

TEST(Failures, AreAnsweredInABurstThenSlowly) {
  Failures failures({.burst = 3, .per_second = 0.5}, {.burst = 100, .per_second = 10});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(failures.count("a", kStart));
  EXPECT_EQ(failures.count("a", kStart), seconds(2));
  EXPECT_EQ(failures.count("a", kStart + seconds(1)), seconds(1));
  EXPECT_FALSE(failures.count("a", kStart + seconds(2)));
  EXPECT_TRUE(failures.count("a", kStart + seconds(2)));
}

TEST(Failures, OfOneAddressDoNotHinderAnother) {
  Failures failures({.burst = 1, .per_second = 0.5}, {.burst = 100, .per_second = 10});
  EXPECT_FALSE(failures.count("a", kStart));
  EXPECT_TRUE(failures.count("a", kStart));
  EXPECT_FALSE(failures.count("b", kStart));
}

TEST(Failures, OfAllTogetherAreLimitedToo) {
  Failures failures({.burst = 1, .per_second = 1}, {.burst = 5, .per_second = 1});
  int answered = 0;
  for (int i = 0; i < 100; ++i) {
    if (!failures.count(fmt::format("10.0.0.{}", i), kStart)) ++answered;
  }
  EXPECT_EQ(answered, 5);
}

TEST(Failures, AreForgottenInTime) {
  Failures failures({.burst = 2, .per_second = 1}, {.burst = 1e9, .per_second = 1});
  for (int i = 0; i < 5000; ++i)
    EXPECT_FALSE(failures.count(fmt::format("{}", i), kStart + seconds(i / 100)));
}

}  // namespace
}  // namespace quantlens::server
