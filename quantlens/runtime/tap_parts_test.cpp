// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tap_parts.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using Parts = TapParts<ValueStats>;

ValueStats empty() {
  ValueStats stats;
  stats.value = "x";
  return stats;
}

void count(Parts::Lease& lease, std::uint64_t sample) {
  const std::vector<float> values{static_cast<float>(sample), 0.1F, -3e7F};
  lease.part.stats.histogram.add(values, sample, lease.part.stats.moments);
}

TEST(TapParts, TwoCountAtOnceAndTheirSumIsThatOfOne) {
  Parts parts, in_turn;
  {
    Parts::Lease first = parts.lease(empty);
    Parts::Lease second = parts.lease(empty);  // would wait for ever, were there one part
    EXPECT_NE(&first.part, &second.part);
    count(second, 0);
    count(first, 1);
    count(second, 2);
  }
  for (std::uint64_t sample = 0; sample < 3; ++sample) {
    Parts::Lease lease = in_turn.lease(empty);
    count(lease, sample);
  }
  EXPECT_EQ(parts.take(empty), in_turn.take(empty));
}

TEST(TapParts, AThirdWaitsForAPartThatIsGivenBack) {
  Parts parts;
  std::optional<Parts::Lease> first(parts.lease(empty));
  const Parts::Lease second = parts.lease(empty);
  std::atomic<bool> has_part = false;
  std::thread third([&] {
    const Parts::Lease lease = parts.lease(empty);
    has_part = true;
  });
  EXPECT_FALSE(has_part);
  first.reset();
  third.join();
  EXPECT_TRUE(has_part);
}

TEST(TapParts, TakeLeavesNothingAndNothingGivesAnEmptyOne) {
  Parts parts;
  EXPECT_EQ(parts.take(empty), empty());
  {
    Parts::Lease lease = parts.lease(empty);
    count(lease, 5);
  }
  EXPECT_NE(parts.take(empty), empty());
  EXPECT_EQ(parts.take(empty), empty());
}

TEST(TapParts, PartsOfUnequalChannelsAreRefused) {
  Parts parts;
  const std::vector<float> values(6, 1);
  const auto add = [&](Parts::Lease& lease, std::size_t channels, std::uint64_t sample) {
    lease.part.stats.channel_axis = 1;
    lease.part.channels.add(
        {values, {.outer = 1, .channels = channels, .inner = values.size() / channels}},
        lease.part.stats);
    count(lease, sample);
  };
  {
    Parts::Lease first = parts.lease(empty);
    Parts::Lease second = parts.lease(empty);
    add(first, 2, 0);
    add(second, 3, 1);
  }
  EXPECT_THROW(parts.take(empty), Error);
}

}  // namespace
}  // namespace quantlens
