// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/pair_stats.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::any_floats;
using drawn::awkward_floats;
using drawn::bytes_of;
using drawn::normal_floats;
using drawn::random_codes;

constexpr double kInfinityF = std::numeric_limits<double>::infinity();

PairStats stats_of(const std::vector<float>& x, const std::vector<float>& y) {
  PairStats stats;
  stats.add(0, x, y);
  return stats;
}

/// x rounded to steps of `step`.
std::vector<float> rounded(const std::vector<float>& x, float step) {
  std::vector<float> y = x;
  for (float& value : y) value = std::round(value / step) * step;
  return y;
}

/// The predecessors' figure, by its own formula.
double mse_normalized_of(const std::vector<float>& x, const std::vector<float>& y) {
  const auto [min_x, max_x] = std::minmax_element(x.begin(), x.end());
  const auto [min_y, max_y] = std::minmax_element(y.begin(), y.end());
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double nx = (static_cast<long double>(x[i]) - *min_x) / (double{*max_x} - *min_x);
    const long double ny = (static_cast<long double>(y[i]) - *min_y) / (double{*max_y} - *min_y);
    sum += (nx - ny) * (nx - ny);
  }
  return static_cast<double>(sum / static_cast<long double>(x.size()));
}

TEST(PairStats, OfEqualTensorsShowNoError) {
  const std::vector<float> x = normal_floats(1, 1000);
  const PairStats stats = stats_of(x, x);
  EXPECT_EQ(stats.mse(), 0);
  EXPECT_EQ(stats.mse_normalized(), 0);
  EXPECT_EQ(stats.sqnr_db(), kInfinityF);
  EXPECT_EQ(stats.cosine(), 1);
  EXPECT_EQ(stats.extremes().max_abs_error, 0);
  EXPECT_TRUE(stats.worst().entries().empty());
}

TEST(PairStats, OfAKnownPairAreWhatTheFormulasSay) {
  const PairStats stats = stats_of({1, 2, 3, 4}, {1, 2, 3, 2});
  EXPECT_EQ(stats.mse(), 1);
  EXPECT_NEAR(stats.sqnr_db(), 10 * std::log10(30.0 / 4), 1e-12);
  EXPECT_NEAR(stats.cosine(), 22 / std::sqrt(30.0 * 18), 1e-15);
  EXPECT_EQ(stats.extremes().max_abs_error, 2);
  EXPECT_EQ(stats.mean_x(), 2.5);
  EXPECT_EQ(stats.mean_y(), 2);
  EXPECT_EQ(stats.variance_x(), 1.25);
  EXPECT_EQ(stats.variance_y(), 0.5);
}

template <class Code>
void expect_same_when_counted() {
  for (const std::size_t size : {0ul, 5ul, 511ul, 20000ul, 40000ul}) {
    const std::vector<float> x = awkward_floats(size, size);
    const std::vector<Code> y = random_codes<Code>(size, size);
    const ClipRange clip{-2, 3};
    const Dequantize8 how{0.03f, 7};
    PairStats alone;
    FloatHistogram of_x;
    CodeHistogram of_y;
    PairStats counted;
    FloatHistogram counted_x;
    CodeHistogram counted_y;
    for (std::uint64_t sample = 0; sample < 3; ++sample) {
      alone.add(sample, x, y, how, clip);
      of_x.add(x);
      of_y.add(std::span<const Code>(y));
      counted.add(sample, x, y, CodeReading{.how = how, .clip = clip},
                  {.x = counted_x, .y = counted_y});
    }
    EXPECT_EQ(bytes_of(counted), bytes_of(alone));
    EXPECT_EQ(bytes_of(counted_x), bytes_of(of_x));
    EXPECT_EQ(bytes_of(counted_y), bytes_of(of_y));
  }
}

TEST(PairStats, AreTheSameWhereBothSidesAreCountedOnTheWay) {
  expect_same_when_counted<std::uint8_t>();
  expect_same_when_counted<std::int8_t>();
}

TEST(PairStats, OfNothingAreZero) {
  PairStats stats;
  stats.add(1, std::vector<float>(), std::vector<float>());
  EXPECT_EQ(stats, PairStats());
  EXPECT_EQ(stats.mse(), 0);
  EXPECT_EQ(stats.mse_normalized(), 0);
  EXPECT_EQ(stats.sqnr_db(), kInfinityF);
  EXPECT_EQ(stats.cosine(), 1);
  EXPECT_EQ(stats.clip_rate(), 0);
}

TEST(PairStats, HaveTheSqnrThatAStepSizePredicts) {
  // Rounding errors are uniform in +-step/2: mean square step^2 / 12.
  const std::vector<float> x = normal_floats(2, 200000);
  for (const float step : {0.5f, 0.1f, 0.01f}) {
    const double expected = 10 * std::log10(12 / (double{step} * double{step}));
    EXPECT_NEAR(stats_of(x, rounded(x, step)).sqnr_db(), expected, 0.15);
  }
}

TEST(PairStats, HaveANormalizedMseThatAgreesWithItsOwnFormula) {
  for (const float offset : {0.0f, 3.0f, 1000.0f}) {
    for (const float step : {0.3f, 0.02f, 0.001f}) {
      std::vector<float> x = normal_floats(3, 5000);
      for (float& value : x) value += offset;
      std::vector<float> y = rounded(x, step);
      y[10] += step;
      const double expected = mse_normalized_of(x, y);
      EXPECT_NEAR(stats_of(x, y).mse_normalized(), expected, 1e-6 * expected + 1e-14);
    }
  }
}

TEST(PairStats, HaveANormalizedMseThatIsBlindToScaleAndOffset) {
  const std::vector<float> x = normal_floats(4, 5000);
  std::vector<float> y = x;
  for (float& value : y) value = 2 * value + 1;
  EXPECT_NEAR(stats_of(x, y).mse_normalized(), 0, 1e-12);
  EXPECT_GT(stats_of(x, y).mse(), 1);
}

TEST(PairStats, HaveNoNormalizedMseWhereARangeIsZero) {
  EXPECT_EQ(stats_of({1, 2, 3}, {5, 5, 5}).mse_normalized(), 0);
  EXPECT_EQ(stats_of({5, 5, 5}, {1, 2, 3}).mse_normalized(), 0);
}

TEST(PairStats, OfAllZerosHaveACosineOfOneAndOfOneSidedZerosNone) {
  EXPECT_EQ(stats_of({0, 0}, {0, 0}).cosine(), 1);
  EXPECT_EQ(stats_of({1, 2}, {0, 0}).cosine(), 0);
  EXPECT_EQ(stats_of({0, 0}, {1, 2}).sqnr_db(), -kInfinityF);
  EXPECT_NEAR(stats_of({1, 2}, {-1, -2}).cosine(), -1, 1e-15);
}

TEST(PairStats, HaveAClipRateThatIsTheShareOutsideTheRange) {
  PairStats stats;
  const std::vector<float> x{-3, -1, 0, 1, 2, 3, 4, 5};
  stats.add(0, x, x, {-1, 2});
  EXPECT_EQ(stats.clip_rate(), 0.5);
}

TEST(PairStats, OfCodesEqualThoseOfTheFloatsTheyStandFor) {
  const std::vector<float> x = normal_floats(5, 40000);
  const auto u8 = random_codes<std::uint8_t>(5, x.size());
  const auto i8 = random_codes<std::int8_t>(6, x.size());
  const Dequantize8 how{0.02f, 100};
  const ClipRange clip{-2, 3};
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(u8[i] - 100) * 0.02f;
  PairStats expected;
  PairStats stats;
  expected.add(9, x, y, clip);
  stats.add(9, x, u8, how, clip);
  EXPECT_EQ(bytes_of(stats), bytes_of(expected));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i8[i] - 100) * 0.02f;
  expected.add(10, x, y, clip);
  stats.add(10, x, i8, how, clip);
  EXPECT_EQ(bytes_of(stats), bytes_of(expected));
}

TEST(PairStats, CountPairsThatAreNotFiniteAndLeaveThemOut) {
  const float inf = std::numeric_limits<float>::infinity();
  const PairStats stats = stats_of({1, NAN, 3, inf, 5}, {1, 2, -inf, inf, 6});
  EXPECT_EQ(stats.count(), 2u);
  EXPECT_EQ(stats.nonfinite(), 3u);
  EXPECT_EQ(stats.mse(), 0.5);
}

TEST(PairStats, OfWhichNoneIsFiniteAreNoMatch) {
  const std::vector<float> x{1, -2, 3};
  PairStats stats;
  stats.add(0, x, std::vector<float>(3, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(stats.count(), 0U);
  EXPECT_EQ(stats.mse(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(stats.sqnr_db(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(stats.cosine(), 0);
}

TEST(PairStats, NameTheSamplesWithTheLargestError) {
  PairStats stats;
  for (std::uint64_t sample = 0; sample < 50; ++sample) {
    const std::vector<float> x = normal_floats(sample, 100);
    stats.add(sample, x, rounded(x, sample == 33 ? 0.9f : 0.01f));
  }
  EXPECT_EQ(stats.worst().entries().front().sample, 33u);
  EXPECT_EQ(stats.worst().entries().size(), WorstSamples::kKept);
}

RC_GTEST_PROP(PairStats, OfAnySplitOfTheSamplesMergedEqualTheWhole, ()) {
  const auto samples = *rc::gen::container<std::vector<std::vector<float>>>(any_floats());
  const auto parts = *rc::gen::container<std::vector<int>>(samples.size(), rc::gen::inRange(0, 3));
  PairStats whole;
  std::array<PairStats, 3> shards;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    whole.add(i, samples[i], rounded(samples[i], 0.25f), {-1, 1});
    const std::size_t last = samples.size() - 1 - i;
    shards[static_cast<std::size_t>(parts[last])].add(last, samples[last],
                                                      rounded(samples[last], 0.25f), {-1, 1});
  }
  PairStats merged = shards[1];
  merged.merge(shards[2]);
  merged.merge(shards[0]);
  RC_ASSERT(merged == whole);
  RC_ASSERT(bytes_of(merged) == bytes_of(whole));
  if (merged.count() != 0) {
    RC_ASSERT(merged.mse() == whole.mse());
    RC_ASSERT(merged.mse_normalized() >= 0);
    RC_ASSERT(std::abs(merged.cosine()) <= 1);
  }
}

TEST(PairStats, OfJoinedBlocksAreTheSameOverAll) {
  PairStats stats;
  for (std::uint64_t sample = 0; sample < 40; ++sample) {
    stats.add(sample, awkward_floats(sample, 50), awkward_floats(sample + 1, 50));
  }
  PairStats joined = stats;
  joined.join_blocks();
  EXPECT_EQ(joined.count(), stats.count());
  EXPECT_EQ(joined.nonfinite(), stats.nonfinite());
  EXPECT_EQ(joined.mse(), stats.mse());
  EXPECT_EQ(joined.sqnr_db(), stats.sqnr_db());
  EXPECT_EQ(joined.cosine(), stats.cosine());
  EXPECT_EQ(joined.variance_y(), stats.variance_y());
  EXPECT_EQ(joined.mse_normalized(), stats.mse_normalized());
  EXPECT_EQ(joined.worst().entries(), stats.worst().entries());
  EXPECT_NE(stats.blocks()[1], PairStats::Block());
  EXPECT_TRUE(std::all_of(joined.blocks().begin() + 1, joined.blocks().end(),
                          [](const auto& block) { return block == PairStats::Block(); }));
  EXPECT_LT(bytes_of(joined).size(), bytes_of(stats).size() / 8);
}

TEST(PairStats, TellErrorsOfTheirErrorsAlone) {
  PairStats stats;
  for (std::uint64_t sample = 1; sample < 70; sample += 3) {
    stats.add(sample, awkward_floats(sample, 50), awkward_floats(sample + 1, 50), {-1, 1});
  }
  std::string bytes;
  stats.append_errors_to(bytes);
  EXPECT_LT(bytes.size(), bytes_of(stats).size() / 2);
  std::string_view in = bytes;
  const PairStats errors = PairStats::take_errors_from(in);
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(errors.count(), stats.count());
  EXPECT_EQ(errors.nonfinite(), stats.nonfinite());
  EXPECT_EQ(errors.mse(), stats.mse());
  EXPECT_EQ(errors.sqnr_db(), stats.sqnr_db());
  EXPECT_EQ(errors.mean_x(), stats.mean_x());
  EXPECT_EQ(errors.mean_y(), stats.mean_y());
  for (std::size_t b = 0; b < kBlocks; ++b) {
    EXPECT_EQ(errors.blocks()[b].finite, stats.blocks()[b].finite);
    EXPECT_EQ(errors.blocks()[b].xx, stats.blocks()[b].xx);
    EXPECT_EQ(errors.blocks()[b].ee, stats.blocks()[b].ee);
  }
  std::string again;
  errors.append_errors_to(again);
  EXPECT_EQ(again, bytes);
}

TEST(PairStats, OfNoPairsHaveNoErrors) {
  std::string bytes;
  PairStats().append_errors_to(bytes);
  std::string_view in = bytes;
  EXPECT_EQ(PairStats::take_errors_from(in), PairStats());
  EXPECT_TRUE(in.empty());
}

TEST(PairStats, ComeBackFromTheirBytes) {
  PairStats stats;
  for (std::uint64_t sample = 0; sample < 70; sample += 3) {
    const std::vector<float> x = awkward_floats(sample, 50 * sample);
    stats.add(sample, x, rounded(x, 0.1f), {-1, 1});
  }
  const std::string bytes = bytes_of(stats);
  std::string_view in = bytes;
  EXPECT_EQ(PairStats::take_from(in), stats);
  EXPECT_TRUE(in.empty());
}

}  // namespace
}  // namespace quantlens
