// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/pair_intervals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/stats/jackknife.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

struct Sample {
  std::uint64_t index = 0;
  std::vector<float> x, y;
};

/// Samples of eight pairs whose errors differ in size from sample to sample.
std::vector<Sample> samples_of(std::uint64_t first, std::size_t count, float error, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Sample> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples[i].index = first + i;
    const float size = error * std::exp(normal(random));
    for (int k = 0; k < 8; ++k) {
      samples[i].x.push_back(normal(random));
      samples[i].y.push_back(samples[i].x.back() + size * normal(random));
    }
  }
  return samples;
}

constexpr ClipRange kReach{-1.5F, 1.5F};

PairStats stats_of(const std::vector<Sample>& samples) {
  PairStats stats;
  for (const Sample& sample : samples) stats.add(sample.index, sample.x, sample.y, kReach);
  return stats;
}

/// Sums over the samples whose indices are not `left_out` modulo 32, one after the other.
struct Plain {
  double n = 0, clipped = 0, xx = 0, xy = 0, yy = 0, ee = 0;

  Plain(const std::vector<Sample>& samples, std::optional<std::uint64_t> left_out) {
    for (const Sample& sample : samples) {
      if (left_out && sample.index % 32 == *left_out) continue;
      for (std::size_t i = 0; i < sample.x.size(); ++i) {
        const double x = sample.x[i];
        const double y = sample.y[i];
        n += 1;
        clipped += std::abs(x) > 1.5 ? 1 : 0;
        xx += x * x;
        xy += x * y;
        yy += y * y;
        ee += (x - y) * (x - y);
      }
    }
  }
};

using Figure = std::function<double(const Plain&)>;

double decibels(const Plain& sums) {
  return 10 * std::log10(sums.xx / sums.ee);
}

/// t times the jackknife's standard error, as textbooks have them: by recomputing the figure.
double plain_half_width(const std::vector<Sample>& samples, const Figure& figure) {
  std::set<std::uint64_t> blocks;
  for (const Sample& sample : samples) blocks.insert(sample.index % 32);
  const double g = static_cast<double>(blocks.size());
  double mean = 0;
  for (const std::uint64_t b : blocks) mean += figure(Plain(samples, b)) / g;
  double squares = 0, fourths = 0;
  for (const std::uint64_t b : blocks) {
    squares += std::pow(figure(Plain(samples, b)) - mean, 2);
    fourths += std::pow(figure(Plain(samples, b)) - mean, 4);
  }
  const double excess = g * fourths / (squares * squares) - 3;
  const double freedom = std::min(g - 1, 2 * g / (excess + 2));
  return student_t(freedom) * std::sqrt((g - 1) / g * squares);
}

/// Centre and half width, on the scale on which the interval is even.
void expect_near(const std::optional<Interval>& interval, double (*scale)(double), double centre,
                 double half) {
  ASSERT_TRUE(interval);
  const double precise = 1e-6 * half;
  EXPECT_NEAR(scale((*interval)[0]), centre - half, precise);
  EXPECT_NEAR(scale((*interval)[1]), centre + half, precise);
}

TEST(PairIntervals, EqualThoseOfLeavingOutEachBlockAndSummingAnew) {
  for (const std::vector<Sample>& samples :
       {samples_of(0, 100, 0.3F, 1), samples_of(1000, 6, 0.01F, 2), samples_of(7, 500, 2, 3)}) {
    const Plain all(samples, {});
    const PairIntervals intervals(stats_of(samples));

    expect_near(
        intervals.sqnr_db_interval(), [](double db) { return db; }, decibels(all),
        plain_half_width(samples, decibels));
    const auto logarithm = [](const Plain& sums) { return std::log(sums.ee / sums.n); };
    expect_near(
        intervals.mse_interval(), [](double mse) { return std::log(mse); }, logarithm(all),
        plain_half_width(samples, logarithm));
    const auto z = [](const Plain& s) { return std::atanh(s.xy / std::sqrt(s.xx * s.yy)); };
    expect_near(
        intervals.cosine_interval(), [](double cosine) { return std::atanh(cosine); }, z(all),
        plain_half_width(samples, z));

    // Wilson's, of n samples that would have this standard error: the rates p at which the
    // difference to the one found is as large as t times the standard error there.
    const auto rate = [](const Plain& sums) { return sums.clipped / sums.n; };
    const double half = plain_half_width(samples, rate);
    const std::optional<Interval> clip = intervals.clip_rate_interval();
    ASSERT_TRUE(clip);
    const double found = rate(all);
    for (const double p : *clip) {
      const double there = half * std::sqrt(p * (1 - p) / (found * (1 - found)));
      EXPECT_NEAR(std::abs(p - found), there, 2e-3 * there);
    }
    EXPECT_LT((*clip)[0], found);
    EXPECT_GT((*clip)[1], found);
  }
}

TEST(PairIntervals, DoNotDependOnOrderOrSplit) {
  const std::vector<Sample> samples = samples_of(0, 100, 1, 4);
  PairStats odd, even;
  for (std::size_t i = samples.size(); i-- > 0;) {
    (i % 2 == 0 ? even : odd).add(samples[i].index, samples[i].x, samples[i].y, kReach);
  }
  odd.merge(even);
  const PairIntervals one(stats_of(samples));
  const PairIntervals other(odd);
  EXPECT_EQ(one.mse_interval(), other.mse_interval());
  EXPECT_EQ(one.sqnr_db(), other.sqnr_db());
  EXPECT_EQ(one.cosine_interval(), other.cosine_interval());
  EXPECT_EQ(one.clip_rate_interval(), other.clip_rate_interval());
}

TEST(PairIntervals, HoldTheFigureWhereErrorsAreTiny) {
  std::vector<Sample> samples = samples_of(0, 64, 0, 5);
  for (Sample& sample : samples) sample.y[0] = std::nextafter(sample.x[0], kFloatInfinity);
  const PairIntervals intervals(stats_of(samples));
  const std::optional<Interval> cosine = intervals.cosine_interval();
  ASSERT_TRUE(cosine);
  EXPECT_LE((*cosine)[0], intervals.sums().cosine());
  EXPECT_LE((*cosine)[1], 1);
  ASSERT_TRUE(intervals.sqnr_db_interval());
  EXPECT_GT((*intervals.sqnr_db_interval())[0], 100);
}

void expect_no_intervals(const PairStats& stats) {
  const PairIntervals intervals(stats);
  EXPECT_FALSE(intervals.mse_interval());
  EXPECT_FALSE(intervals.sqnr_db_interval());
  EXPECT_FALSE(intervals.cosine_interval());
  EXPECT_FALSE(intervals.clip_rate_interval());
}

TEST(PairIntervals, AreAbsentWhereTheSamplesDoNotTell) {
  expect_no_intervals({});
  const std::vector<Sample> two_blocks = samples_of(31, 2, 1, 6);
  expect_no_intervals(stats_of(two_blocks));

  PairStats equal, zero, one_bad, none_finite;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::uint64_t s = 0; s < 40; ++s) {
    equal.add(s, std::vector<float>{1, 2}, std::vector<float>{1, 2}, kReach);
    zero.add(s, std::vector<float>{0, 0}, std::vector<float>{1, 0});
    none_finite.add(s, std::vector<float>{nan}, std::vector<float>{1});
    one_bad.add(s, std::vector<float>{1, 1}, std::vector<float>{1, s == 3 ? 2.0F : 1.0F});
  }
  EXPECT_FALSE(PairIntervals(equal).sqnr_db_interval());
  EXPECT_FALSE(PairIntervals(equal).mse_interval());
  EXPECT_FALSE(PairIntervals(equal).cosine_interval());
  EXPECT_FALSE(PairIntervals(zero).sqnr_db_interval()) << "-inf";
  EXPECT_TRUE(PairIntervals(zero).mse_interval());
  expect_no_intervals(none_finite);
  expect_no_intervals(one_bad);
}

TEST(PairIntervals, SamplesWithoutAFinitePairTellNothing) {
  const std::vector<Sample> samples = samples_of(0, 6, 1, 7);
  PairStats stats = stats_of(samples);
  stats.add(20, std::vector<float>{kFloatInfinity}, std::vector<float>{0});
  EXPECT_EQ(PairIntervals(stats).sqnr_db_interval(),
            PairIntervals(stats_of(samples)).sqnr_db_interval());
}

TEST(Ties, AreOfTheDifferenceOverTheSameBlocks) {
  const std::vector<Sample> samples = samples_of(0, 100, 1, 8);
  std::vector<Sample> worse = samples;  // by a little, but in each sample
  for (Sample& sample : worse) {
    for (std::size_t i = 0; i < sample.x.size(); ++i) {
      sample.y[i] = sample.x[i] + 1.05F * (sample.y[i] - sample.x[i]);
    }
  }
  const PairIntervals one(stats_of(samples));
  const PairIntervals two(stats_of(worse));
  EXPECT_LT((*one.sqnr_db_interval())[0], (*two.sqnr_db_interval())[1]) << "they overlap";
  EXPECT_FALSE(is_tied(one.sqnr_db(), two.sqnr_db()));
  EXPECT_FALSE(is_tied(two.sqnr_db(), one.sqnr_db()));

  const std::vector<Sample> others = samples_of(0, 100, 1.05F, 9);  // independent of each other
  const PairIntervals three(stats_of(others));
  const double difference = one.sqnr_db().whole - three.sqnr_db().whole;
  double mean = 0;
  double squares = 0;
  const auto without = [&](std::uint64_t b) {
    return decibels(Plain(samples, b)) - decibels(Plain(others, b));
  };
  for (std::uint64_t b = 0; b < 32; ++b) mean += without(b) / 32;
  for (std::uint64_t b = 0; b < 32; ++b) squares += std::pow(without(b) - mean, 2);
  const double half = 2.039513 * std::sqrt(31.0 / 32 * squares);
  EXPECT_EQ(is_tied(one.sqnr_db(), three.sqnr_db()), std::abs(difference) <= half);
  EXPECT_TRUE(is_tied(one.sqnr_db(), three.sqnr_db()));
}

TEST(Ties, OfInfinities) {
  const std::uint32_t all = 0xFFFFFFFF;
  const auto constant = [](double value) {
    BlockFigure figure{.whole = value, .without = {}, .blocks = all};
    figure.without.fill(value);
    return figure;
  };
  EXPECT_TRUE(is_tied(constant(kInfinity), constant(kInfinity)));
  EXPECT_TRUE(is_tied(constant(20), constant(20)));
  EXPECT_FALSE(is_tied(constant(20), constant(21))) << "alike in all blocks";
  EXPECT_FALSE(is_tied(constant(20), constant(kInfinity)));
  EXPECT_FALSE(is_tied(constant(-kInfinity), constant(20)));
  BlockFigure one_bad = constant(20);
  one_bad.without[5] = kInfinity;  // all its error lies in one block
  EXPECT_TRUE(is_tied(one_bad, constant(kInfinity)));
  EXPECT_TRUE(is_tied(one_bad, constant(30)));
  BlockFigure few = constant(20);
  few.blocks = 3;
  BlockFigure few_others = constant(40);
  few_others.blocks = 3;
  EXPECT_TRUE(is_tied(few, few_others)) << "two blocks tell nothing";
}

}  // namespace
}  // namespace quantlens
