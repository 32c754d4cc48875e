// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/moments.h"

#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::any_floats;
using drawn::awkward_floats;
using drawn::bytes_of;
using drawn::normal_floats;

constexpr float kInfiniteFloat = std::numeric_limits<float>::infinity();

TEST(Moments, OfAKnownTensorAreItsMeanAndPopulationVariance) {
  Moments moments;
  moments.add(0, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(moments.count(), 4u);
  EXPECT_EQ(moments.min(), 1);
  EXPECT_EQ(moments.max(), 4);
  EXPECT_EQ(moments.mean(), 2.5);
  EXPECT_EQ(moments.variance(), 1.25);
  EXPECT_EQ(moments.standard_deviation(), std::sqrt(1.25));
}

TEST(Moments, OfNothingAreZeroWithNoExtremes) {
  Moments moments;
  moments.add(3, {});
  EXPECT_EQ(moments, Moments());
  EXPECT_EQ(bytes_of(moments), bytes_of(Moments()));
  EXPECT_EQ(moments.count(), 0u);
  EXPECT_EQ(moments.mean(), 0);
  EXPECT_EQ(moments.variance(), 0);
  EXPECT_EQ(moments.min(), kInfiniteFloat);
  EXPECT_EQ(moments.max(), -kInfiniteFloat);
}

TEST(Moments, CountNanAndInfinitiesApartAndLeaveThemOut) {
  Moments moments;
  moments.add(0, std::vector<float>{1, NAN, -kInfiniteFloat, 3, kInfiniteFloat, NAN, NAN});
  EXPECT_EQ(moments.count(), 2u);
  EXPECT_EQ(moments.nan_count(), 3u);
  EXPECT_EQ(moments.inf_count(), 2u);
  EXPECT_EQ(moments.mean(), 2);
  EXPECT_EQ(moments.max(), 3);
}

TEST(Moments, OfAConstantHaveNoVarianceButRounding) {
  // A lane adds 2,048 squares, each time off by at most 2^-53 of the sum.
  for (const float value : {0.1f, -3e38f, 1e-38f, 16777217.0f}) {
    Moments moments;
    moments.add(0, std::vector<float>(100000, value));
    EXPECT_NEAR(moments.variance(), 0, 2048 * 0x1p-52 * double{value} * double{value});
    EXPECT_GE(moments.variance(), 0);
  }
}

TEST(Moments, KeepBlocksByTheIndexOfTheSample) {
  Moments moments;
  moments.add(5, std::vector<float>{1});
  moments.add(5 + kBlocks, std::vector<float>{2, 3});
  moments.add(6, std::vector<float>{4});
  EXPECT_EQ(moments.blocks()[5].finite, 3u);
  EXPECT_EQ(moments.blocks()[5].sum.value(), 6);
  EXPECT_EQ(moments.blocks()[6].finite, 1u);
  EXPECT_EQ(moments.blocks()[0].finite, 0u);
}

TEST(Moments, AverageTheExtremesOfSamples) {
  Moments moments;
  moments.add(0, std::vector<float>{-1, 0, 3});
  moments.add(1, std::vector<float>{-4, kInfiniteFloat, 5});
  moments.add(2, std::vector<float>{NAN});  // says nothing of extremes
  std::vector<float> long_sample(3 * kChunk, 1);
  long_sample.back() = 16;  // in another chunk than the least
  long_sample.front() = -1;
  moments.add(3, long_sample);
  EXPECT_EQ(moments.samples(), 3u);
  EXPECT_EQ(moments.mean_sample_min(), -2);
  EXPECT_EQ(moments.mean_sample_max(), 8);
  EXPECT_EQ(Moments().mean_sample_max(), 0);
}

TEST(Moments, AverageExtremesOfTheLargestFloatsToo) {
  Moments moments;
  const float most = std::numeric_limits<float>::max();
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    moments.add(sample, std::vector<float>{-most, most});
  }
  EXPECT_EQ(moments.mean_sample_min(), -double{most});
  EXPECT_EQ(moments.mean_sample_max(), double{most});
}

TEST(Moments, AgreeWithSumsInLongDouble) {
  const std::vector<float> values = normal_floats(1, 100000, 3);
  Moments moments;
  moments.add(0, values);
  long double sum = 0;
  for (const float value : values) sum += value;
  const long double mean = sum / 100000;
  long double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(moments.mean(), static_cast<double>(mean), 1e-14);
  EXPECT_NEAR(moments.variance(), static_cast<double>(squares / 100000), 1e-12);
}

RC_GTEST_PROP(Moments, OfAnySplitOfTheSamplesMergedEqualTheWhole, ()) {
  const auto samples = *rc::gen::container<std::vector<std::vector<float>>>(any_floats());
  const auto parts = *rc::gen::container<std::vector<int>>(samples.size(), rc::gen::inRange(0, 3));
  Moments whole;
  std::array<Moments, 3> shards;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    whole.add(i, samples[i]);
    const std::size_t last = samples.size() - 1 - i;  // shards see the samples in reverse
    shards[static_cast<std::size_t>(parts[last])].add(last, samples[last]);
  }
  Moments merged = shards[1];
  merged.merge(shards[2]);
  merged.merge(shards[0]);
  RC_ASSERT(merged == whole);
  RC_ASSERT(bytes_of(merged) == bytes_of(whole));
}

TEST(Moments, ComeBackFromTheirBytes) {
  Moments moments;
  for (std::uint64_t sample = 0; sample < 40; sample += 3) {
    moments.add(sample, awkward_floats(sample, 50 * sample));
  }
  const std::string bytes = bytes_of(moments);
  std::string_view in = bytes;
  EXPECT_EQ(Moments::take_from(in), moments);
  EXPECT_TRUE(in.empty());
}

}  // namespace
}  // namespace quantlens
