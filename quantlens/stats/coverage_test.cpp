// SPDX-License-Identifier: Apache-2.0
// How often a 95 % interval holds the true value, by simulation; docs/metrics.md has the figures.
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/stats/jackknife.h"
#include "quantlens/stats/pair_intervals.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

constexpr std::size_t kElements = 4;
constexpr double kEnergySpread = 0.5;  // standard deviation of the logarithm of a sample's energy
constexpr double kCorrelation = 0.5;   // of that with the logarithm of its error

/// Samples whose errors are log-normal: `spread` is the standard deviation of the logarithm of a
/// sample's sum of squared errors. At 1 one sample in twenty has five times the median's error.
struct Population {
  std::uint64_t samples = 100;
  double spread = 1;
  double mean_error() const { return 0.01 * std::exp(spread * spread / 2); }
  double mean_energy() const { return std::exp(kEnergySpread * kEnergySpread / 2); }
  double mse() const { return mean_error() / kElements; }
  double sqnr_db() const { return 10 * std::log10(mean_energy() / mean_error()); }
  /// Errors have any direction, so that sums of x times the error are 0 in the mean.
  double cosine() const { return std::sqrt(mean_energy() / (mean_energy() + mean_error())); }
};

class Simulation {
 public:
  Simulation(Population population, unsigned seed) : population_(population), random_(seed) {}

  /// What the taps would gather of a data set.
  PairStats data_set() {
    PairStats stats;
    for (std::uint64_t s = 0; s < population_.samples; ++s) add(s, normal_(random_), stats);
    return stats;
  }

  /// Two values over the same samples, whose errors go together.
  std::array<PairStats, 2> two_values() {
    std::array<PairStats, 2> both;
    for (std::uint64_t s = 0; s < population_.samples; ++s) {
      const double common = normal_(random_);
      for (PairStats& stats : both) add(s, mixed(common), stats);
    }
    return both;
  }

 private:
  double mixed(double with) {
    return kCorrelation * with + std::sqrt(1 - kCorrelation * kCorrelation) * normal_(random_);
  }

  void add(std::uint64_t sample, double error_exponent, PairStats& stats) {
    const double error = 0.01 * std::exp(population_.spread * error_exponent);
    const double energy = std::exp(kEnergySpread * mixed(error_exponent));
    const std::vector<float> x = vector_of(energy);
    std::vector<float> y = vector_of(error);
    for (std::size_t i = 0; i < kElements; ++i) y[i] += x[i];
    stats.add(sample, x, y);
  }

  /// In any direction.
  std::vector<float> vector_of(double energy) {
    std::array<double, kElements> direction{};
    double squares = 0;
    for (double& one : direction) {
      one = normal_(random_);
      squares += one * one;
    }
    std::vector<float> values;
    values.reserve(kElements);
    for (const double one : direction) {
      values.push_back(static_cast<float>(one * std::sqrt(energy / squares)));
    }
    return values;
  }

  Population population_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

/// Counts how many intervals hold the truth.
class Coverage {
 public:
  void add(const std::optional<Interval>& interval, double truth) {
    ++all_;
    if (interval && (*interval)[0] <= truth && truth <= (*interval)[1]) ++held_;
  }
  double percent() const { return 100.0 * held_ / all_; }

 private:
  int held_ = 0, all_ = 0;
};

/// In the test's report (--gtest_output=xml).
void record(const std::string& name, double percent) {
  testing::Test::RecordProperty(name, std::to_string(percent));
}

/// Three standard errors of the simulation are 1 to 1.5 points.
constexpr int kDataSets = 2000;

struct Covered {
  double mse = 0, sqnr = 0, cosine = 0;
};

Covered covered(Population population, unsigned seed) {
  Simulation simulation(population, seed);
  Coverage mse, sqnr, cosine;
  for (int set = 0; set < kDataSets; ++set) {
    const PairIntervals intervals(simulation.data_set());
    mse.add(intervals.mse_interval(), population.mse());
    sqnr.add(intervals.sqnr_db_interval(), population.sqnr_db());
    cosine.add(intervals.cosine_interval(), population.cosine());
  }
  Covered found{.mse = mse.percent(), .sqnr = sqnr.percent(), .cosine = cosine.percent()};
  const std::string of =
      "_" + std::to_string(population.samples) + "_" + std::to_string(population.spread);
  record("mse" + of, found.mse);
  record("sqnr" + of, found.sqnr);
  record("cosine" + of, found.cosine);
  return found;
}

template <class Matcher>
void expect_each(const Covered& found, const Matcher& as) {
  EXPECT_THAT(found.mse, as);
  EXPECT_THAT(found.sqnr, as);
  EXPECT_THAT(found.cosine, as);
}

const auto kAsPromised = AllOf(Ge(93), Le(97));

TEST(Coverage, OfErrorsThatDifferFromSampleToSampleIsAsPromised) {
  expect_each(covered({.samples = 100, .spread = 0.5}, 1), kAsPromised);
  expect_each(covered({.samples = 500, .spread = 0.5}, 1), kAsPromised);
  expect_each(covered({.samples = 500, .spread = 1}, 1), kAsPromised);
}

// The fewer samples make the error, the more often they are missing: no interval from the others
// alone makes up for that. At 1.5 a hundredth of the samples has a fifth of the error.
TEST(Coverage, OfErrorsThatFewSamplesMakeFallsShort) {
  expect_each(covered({.samples = 100, .spread = 1}, 1), AllOf(Ge(92), Le(97)));
  expect_each(covered({.samples = 40, .spread = 1}, 4), AllOf(Ge(90), Le(97)));
  expect_each(covered({.samples = 100, .spread = 1.5}, 2), AllOf(Ge(86), Le(97)));
  expect_each(covered({.samples = 500, .spread = 1.5}, 3), AllOf(Ge(90), Le(97)));
}

/// A part of the whole: the sum of squared errors of one value over that of both.
struct Share {
  double whole = 0;
  std::vector<double> without;
};

Share share_of(const PairStats& part, const PairStats& rest) {
  const auto share = [&](std::size_t left_out) {
    double one = 0;
    double other = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      if (b == left_out) continue;
      one += part.blocks()[b].ee.value();
      other += rest.blocks()[b].ee.value();
    }
    return one / (one + other);
  };
  Share found{.whole = share(kNoBlock), .without = {}};
  for (std::size_t b = 0; b < kBlocks; ++b) found.without.push_back(share(b));
  return found;
}

// Two values are equally bad. Each begins half of the error, and the samples seem to tell which is
// worse in one data set of twenty.
TEST(Coverage, OfSharesAndTiesIsAsPromised) {
  for (const std::uint64_t samples : {100, 500}) {
    Simulation simulation({.samples = samples, .spread = 1}, 5);
    Coverage found;
    int tied = 0;
    for (int set = 0; set < kDataSets; ++set) {
      const auto [one, other] = simulation.two_values();
      const Share share = share_of(one, other);
      found.add(jackknife_interval(share.whole, share.without, {0, 1}), 0.5);
      if (is_tied(PairIntervals(one).sqnr_db(), PairIntervals(other).sqnr_db())) ++tied;
    }
    const double percent_tied = 100.0 * tied / kDataSets;
    record("share_" + std::to_string(samples), found.percent());
    record("tied_" + std::to_string(samples), percent_tied);
    EXPECT_THAT(found.percent(), kAsPromised) << samples;
    EXPECT_THAT(percent_tied, kAsPromised) << samples;
  }
}

TEST(Coverage, OfAClipRateIsAsPromised) {
  constexpr double kRate = 0.01;
  constexpr double kSpread = 0.75;  // of the logarithm of a sample's own rate
  std::normal_distribution<double> normal;
  for (const std::uint64_t samples : {100, 500}) {
    std::mt19937_64 random(6);
    Coverage found;
    for (int set = 0; set < kDataSets; ++set) {
      PairStats stats;
      for (std::uint64_t s = 0; s < samples; ++s) {
        const double rate = kRate * std::exp(kSpread * normal(random) - kSpread * kSpread / 2);
        std::vector<float> x(200, 1);
        std::binomial_distribution<std::size_t> clipped(x.size(), std::min(rate, 1.0));
        std::fill_n(x.begin(), clipped(random), 3.0F);
        stats.add(s, x, x, ClipRange{-2, 2});
      }
      found.add(PairIntervals(stats).clip_rate_interval(), kRate);
    }
    record("clip_rate_" + std::to_string(samples), found.percent());
    EXPECT_THAT(found.percent(), kAsPromised) << samples;
  }
}

}  // namespace
}  // namespace quantlens
