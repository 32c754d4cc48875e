// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/samples.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::bytes_of;

SampleSet set_of(const std::vector<std::uint64_t>& samples) {
  SampleSet set;
  for (const std::uint64_t sample : samples) set.insert(sample);
  return set;
}

TEST(SampleSet, JoinsNeighboursIntoOneRange) {
  const SampleSet set = set_of({5, 3, 4, 9, 0});
  const std::vector<SampleSet::Range> expected{{0, 0}, {3, 5}, {9, 9}};
  EXPECT_EQ(set.ranges(), expected);
  EXPECT_EQ(set.size(), 5u);
}

TEST(SampleSet, KnowsWhatItContainsAndWhatItOverlaps) {
  const SampleSet set = set_of({1, 2, 3, 7});
  EXPECT_TRUE(set.contains(2));
  EXPECT_FALSE(set.contains(0));
  EXPECT_FALSE(set.contains(4));
  EXPECT_FALSE(set.contains(8));
  EXPECT_EQ(set.first_common(set_of({5, 6, 7})), 7U);
  EXPECT_FALSE(set.first_common(set_of({0, 4, 5, 6, 8})));
  EXPECT_FALSE(set.first_common(SampleSet()));
}

RC_GTEST_PROP(SampleSet, HoldsTheSameAsASet, ()) {
  const auto small =
      rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 60));
  const std::vector<std::uint64_t> left = *small;
  const std::vector<std::uint64_t> right = *small;
  std::set<std::uint64_t> expected(left.begin(), left.end());
  SampleSet set = set_of(left);
  std::optional<std::uint64_t> shared;
  for (const std::uint64_t s : right) {
    if (expected.count(s) != 0) shared = std::min(s, shared.value_or(s));
  }
  RC_ASSERT(set.first_common(set_of(right)) == shared);
  set.merge(set_of(right));
  expected.insert(right.begin(), right.end());
  RC_ASSERT(set.size() == expected.size());
  for (std::uint64_t s = 0; s < 62; ++s) RC_ASSERT(set.contains(s) == (expected.count(s) != 0));
  const std::vector<std::uint64_t> all(expected.begin(), expected.end());
  RC_ASSERT(bytes_of(set) == bytes_of(set_of(all)));
  const std::string bytes = bytes_of(set);
  std::string_view in = bytes;
  RC_ASSERT(SampleSet::take_from(in) == set);
  RC_ASSERT(in.empty());
}

TEST(WorstSamples, AreTheLargestScoresWorstFirst) {
  WorstSamples worst;
  for (std::uint64_t sample = 0; sample < 100; ++sample) {
    worst.add(sample, static_cast<double>(sample * 37 % 101));
  }
  ASSERT_EQ(worst.entries().size(), WorstSamples::kKept);
  for (std::size_t i = 0; i < WorstSamples::kKept; ++i) {
    EXPECT_EQ(worst.entries()[i].score, 100.0 - static_cast<double>(i));
  }
}

TEST(WorstSamples, OfEqualScoreAreTheLowerIndices) {
  WorstSamples worst;
  for (std::uint64_t sample = 20; sample > 0; --sample) worst.add(sample, 1.5);
  for (std::size_t i = 0; i < WorstSamples::kKept; ++i) {
    EXPECT_EQ(worst.entries()[i].sample, i + 1);
  }
}

TEST(WorstSamples, LeaveOutSamplesWithoutError) {
  WorstSamples worst;
  worst.add(3, 0);
  EXPECT_EQ(worst, WorstSamples());
}

TEST(WorstSamples, DoNotDependOnOrderOrSplit) {
  std::mt19937_64 random(5);
  std::vector<WorstSamples::Entry> all;
  for (std::uint64_t s = 0; s < 200; ++s) all.push_back({s, static_cast<double>(random() % 9)});
  WorstSamples whole;
  for (const auto& entry : all) whole.add(entry.sample, entry.score);
  for (int trial = 0; trial < 50; ++trial) {
    std::shuffle(all.begin(), all.end(), random);
    std::array<WorstSamples, 3> parts;
    for (const auto& entry : all) parts[random() % 3].add(entry.sample, entry.score);
    parts[2].merge(parts[0]);
    parts[2].merge(parts[1]);
    EXPECT_EQ(parts[2], whole);
    EXPECT_EQ(bytes_of(parts[2]), bytes_of(whole));
  }
}

}  // namespace
}  // namespace quantlens
