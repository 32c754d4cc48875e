// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/channel_rows.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

constexpr AxisLayout kTwoChannels{.outer = 1, .channels = 2, .inner = 2};

TEST(ChannelRows, HaveWhatAChannelHoldsAndItsError) {
  PairedStats pair;
  pair.reference = "r";
  pair.quantized = "q";
  pair.channel_axis = 1;
  pair.reference_channels.add(std::vector<float>{1, 3, 10, 10}, kTwoChannels);
  pair.error_channels.add(std::vector<float>{1, 0, 0, 0}, kTwoChannels);
  EXPECT_EQ(channel_rows(pair),
            "r,q,1,0,2,0,1.0,3.0,2.0,1.0,0.5,0.5,10.0\r\n"
            "r,q,1,1,2,0,10.0,10.0,10.0,0.0,0.0,0.0,inf\r\n");
}

TEST(ChannelRows, HaveNoFiguresWhereNothingIsFinite) {
  PairedStats pair;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  pair.channel_axis = 0;
  pair.reference_channels.add(std::vector<float>{nan, nan, 0, 0}, kTwoChannels);
  pair.error_channels.add(std::vector<float>{nan, nan, 0, 0}, kTwoChannels);
  EXPECT_EQ(channel_rows(pair), ",,0,0,0,2,,,,,,,\r\n,,0,1,2,0,0.0,0.0,0.0,0.0,0.0,0.0,\r\n");
}

TEST(ChannelRows, AreNoneWhereNoChannelsWereToldApart) {
  EXPECT_EQ(channel_rows(PairedStats()), "");
}

}  // namespace
}  // namespace quantlens
