// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// As NumPy counts between edges, but that the first bucket has no lower one.
std::vector<double> counted_between(const std::vector<float>& values,
                                    const std::vector<double>& limits) {
  std::vector<double> counts(limits.size(), 0);
  for (const float value : values) {
    const auto limit = std::ranges::upper_bound(limits, static_cast<double>(value));
    if (limit != limits.end()) ++counts[static_cast<std::size_t>(limit - limits.begin())];
  }
  return counts;
}

void expect_exact(const std::vector<float>& values) {
  FloatHistogram histogram;
  histogram.add(values);
  const EventBuckets buckets = buckets_of(histogram);
  EXPECT_TRUE(std::ranges::is_sorted(buckets.limits, std::less_equal<>()) ||
              std::ranges::is_sorted(buckets.limits));
  EXPECT_EQ(std::ranges::adjacent_find(buckets.limits), buckets.limits.end());
  EXPECT_LE(buckets.limits.size(), 2U * kPartsOfFloats + 1);
  EXPECT_EQ(buckets.counts, counted_between(values, buckets.limits));
  EXPECT_EQ(std::accumulate(buckets.counts.begin(), buckets.counts.end(), 0.0),
            static_cast<double>(values.size()));
}

TEST(EventBuckets, CountFloatsExactlyBetweenTheirEdges) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(20'000);
  std::ranges::generate(values, [&] { return normal(random); });
  expect_exact(values);
  for (float& value : values) value = std::round(value * 16) / 16;  // on the edges of bins
  expect_exact(values);
  for (float& value : values) value = -std::abs(value) - 1;
  expect_exact(values);
}

TEST(EventBuckets, HoldOutliersZerosAndSingleValues) {
  expect_exact({-std::numeric_limits<float>::max(), 0.0F, -0.0F, 1e-40F, 1.0F, 2.0F});
  expect_exact({0.0F});
  expect_exact({-1.0F});
  expect_exact({std::numeric_limits<float>::max()});
  EXPECT_TRUE(buckets_of(FloatHistogram()).limits.empty());
}

TEST(EventBuckets, LeaveAGapEmpty) {
  const std::vector<float> values{0.0F, 0.5F, 100.0F};
  FloatHistogram histogram;
  histogram.add(values);
  const EventBuckets buckets = buckets_of(histogram);
  EXPECT_EQ(buckets.counts, (std::vector<double>{2, 0, 1}));
  EXPECT_LT(buckets.limits[0], 1);
  EXPECT_GE(buckets.limits[1], 99);
}

TEST(EventBuckets, HaveOneForEachCode) {
  CodeHistogram codes;
  const std::vector<std::int8_t> values{-2, -2, 1};
  codes.add(values);
  const EventBuckets buckets = buckets_of(codes, {.scale = 0.5F, .zero_point = -1}, true);
  EXPECT_EQ(buckets.limits, (std::vector<double>{-0.25, 0.25, 0.75, 1.25}));
  EXPECT_EQ(buckets.counts, (std::vector<double>{2, 0, 0, 1}));
  const EventBuckets turned = buckets_of(codes, {.scale = -0.5F, .zero_point = -1}, true);
  EXPECT_EQ(turned.limits, (std::vector<double>{-0.75, -0.25, 0.25, 0.75}));
  EXPECT_EQ(turned.counts, (std::vector<double>{1, 0, 0, 2}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(buckets_of(codes, {.scale = nan, .zero_point = 0}, true).limits.empty());
  EXPECT_TRUE(buckets_of(CodeHistogram(), {}, true).limits.empty());
}

}  // namespace
}  // namespace quantlens
