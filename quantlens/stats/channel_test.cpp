// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/channel.h"

#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::awkward_floats;
using drawn::bytes_of;
using drawn::normal_floats;

constexpr AxisLayout kLayouts[] = {{1, 1, 1},     {1, 5, 1},    {7, 5, 1},   {40, 64, 1},
                                   {1, 5, 3},     {3, 4, 9},    {1, 70, 49}, {2, 3, 20000},
                                   {50000, 1, 1}, {1, 1, 50000}};

TEST(AxisLayout, DescribesEveryAxisOfAShape) {
  const std::vector<std::int64_t> shape{2, 3, 4, 5};
  const auto expect = [&](int axis, std::size_t outer, std::size_t channels, std::size_t inner) {
    const AxisLayout layout = axis_layout(shape, axis);
    EXPECT_EQ(layout.outer, outer);
    EXPECT_EQ(layout.channels, channels);
    EXPECT_EQ(layout.inner, inner);
  };
  expect(0, 1, 2, 60);
  expect(1, 2, 3, 20);
  expect(3, 24, 5, 1);
  expect(-1, 24, 5, 1);
  expect(-4, 1, 2, 60);
}

TEST(ChannelMoments, AreThoseOfEachChannelsElements) {
  for (const AxisLayout layout : kLayouts) {
    const std::size_t size = layout.outer * layout.channels * layout.inner;
    const std::vector<float> values = awkward_floats(size, size);
    ChannelMoments moments;
    moments.add(values, layout);
    ASSERT_EQ(moments.channels().size(), layout.channels);
    for (std::size_t c = 0; c < layout.channels; ++c) {
      float min = std::numeric_limits<float>::infinity();
      float max = -min;
      std::uint64_t nonfinite = 0;
      ExactSum sum;
      ExactSum sum_sq;
      for (std::size_t o = 0; o < layout.outer; ++o) {
        for (std::size_t i = 0; i < layout.inner; ++i) {
          const float value = values[(o * layout.channels + c) * layout.inner + i];
          if (!std::isfinite(value)) {
            ++nonfinite;
            continue;
          }
          min = std::min(min, value);
          max = std::max(max, value);
          sum.add(value);
          sum_sq.add(double{value} * double{value});
        }
      }
      const ChannelMoments::Channel& channel = moments.channels()[c];
      EXPECT_EQ(channel.min, min);
      EXPECT_EQ(channel.max, max);
      EXPECT_EQ(channel.nonfinite, nonfinite);
      EXPECT_EQ(channel.finite + channel.nonfinite, layout.outer * layout.inner);
      EXPECT_NEAR(channel.sum_sq.value(), sum_sq.value(), 1e-12 * sum_sq.value());
      const double bound = std::sqrt(sum_sq.value()) * 1e-11;
      EXPECT_NEAR(channel.sum.value(), sum.value(), bound);
    }
  }
}

TEST(ChannelMoments, OfAnySplitOfTheSamplesMergedEqualTheWhole) {
  for (const AxisLayout layout : kLayouts) {
    const std::size_t size = layout.outer * layout.channels * layout.inner;
    ChannelMoments whole;
    std::array<ChannelMoments, 3> parts;
    for (std::uint64_t sample = 0; sample < 8; ++sample)
      whole.add(awkward_floats(sample, size), layout);
    for (std::uint64_t sample = 8; sample-- > 0;) {
      parts[sample * 5 % 3].add(awkward_floats(sample, size), layout);
    }
    parts[1].merge(parts[0]);
    parts[1].merge(parts[2]);
    EXPECT_EQ(parts[1], whole);
    EXPECT_EQ(bytes_of(parts[1]), bytes_of(whole));
  }
}

TEST(ChannelMoments, HaveTheMeanAndVarianceOfEachChannel) {
  ChannelMoments moments;
  moments.add(std::vector<float>{1, 10, 3, 10, 5, 10}, {3, 2, 1});
  EXPECT_EQ(moments.channels()[0].mean(), 3);
  EXPECT_NEAR(moments.channels()[0].variance(), 8.0 / 3, 1e-15);
  EXPECT_EQ(moments.channels()[1].variance(), 0);
}

TEST(ChannelMoments, RefuseAnotherNumberOfChannels) {
  ChannelMoments moments;
  moments.add(normal_floats(1, 12), {1, 3, 4});
  EXPECT_THROW(moments.add(normal_floats(1, 12), {1, 4, 3}), Error);
  ChannelMoments other;
  other.add(normal_floats(1, 12), {1, 4, 3});
  EXPECT_THROW(moments.merge(other), Error);
}

TEST(ChannelMoments, OfAnEmptyTensorAreNone) {
  ChannelMoments moments;
  moments.add({}, {0, std::size_t{1} << 60, 7});
  EXPECT_EQ(moments, ChannelMoments());
}

TEST(ChannelMoments, ComeBackFromTheirBytes) {
  ChannelMoments moments;
  moments.add(awkward_floats(3, 600), {2, 30, 10});
  const std::string bytes = bytes_of(moments);
  std::string_view in = bytes;
  EXPECT_EQ(ChannelMoments::take_from(in), moments);
  EXPECT_TRUE(in.empty());
}

TEST(ChannelMoments, TellMeansOfTheirCountsAndSumsAlone) {
  const std::vector<float> values = normal_floats(3, 6 * 5 * 40);
  ChannelMoments moments;
  moments.add(values, {6, 5, 40});
  std::string bytes;
  moments.append_means_to(bytes);
  EXPECT_LT(bytes.size(), bytes_of(moments).size() / 2);
  ChannelMoments uneven = moments;
  std::vector<float> holes(5 * 2, 1.0f);
  holes[3] = std::numeric_limits<float>::quiet_NaN();
  uneven.add(holes, {1, 5, 2});
  for (const ChannelMoments& one : {moments, uneven, ChannelMoments()}) {
    bytes.clear();
    one.append_means_to(bytes);
    std::string_view in = bytes;
    const ChannelMoments means = ChannelMoments::take_means_from(in);
    EXPECT_TRUE(in.empty());
    ASSERT_EQ(means.channels().size(), one.channels().size());
    for (std::size_t c = 0; c < one.channels().size(); ++c) {
      EXPECT_EQ(means.channels()[c].finite, one.channels()[c].finite);
      EXPECT_EQ(means.channels()[c].sum, one.channels()[c].sum);
      EXPECT_EQ(means.channels()[c].mean(), one.channels()[c].mean());
    }
    std::string again;
    means.append_means_to(again);
    EXPECT_EQ(again, bytes);
  }
}

}  // namespace
}  // namespace quantlens
