// SPDX-License-Identifier: Apache-2.0
// How often the 95 % interval of a paired difference holds the true one, by simulation;
// docs/metrics.md has the figures.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

/// Three standard errors of the simulation are 1.5 points.
constexpr int kDataSets = 2000;

/// What a sink says of a data set of both models' scores for one of two classes.
AccuracyRecord rates(const std::vector<float>& reference, const std::vector<float>& quantized) {
  const auto tensor = [](const std::vector<float>& margins) {
    std::vector<float> scores;
    for (const float margin : margins) scores.insert(scores.end(), {0, margin});
    return Tensor::from<float>({static_cast<std::int64_t>(margins.size()), 2}, std::move(scores));
  };
  Batch batch;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    batch.samples.push_back(i);
    batch.labels.emplace_back(Tensor::scalar<std::int64_t>(1));
  }
  AccuracyPairSink sink(parse_metric("top1"), {});
  sink.add(batch, {{{"y", tensor(reference)}}, {{"y", tensor(quantized)}}});
  return sink.result();
}

/// The distribution of the standard normal.
double normal_below(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

double share_held(std::size_t samples, double noise, double shift, unsigned seed) {
  // A sample's margin is normal around 1; the other model's has some noise and a shift more.
  const double truth = normal_below((1 - shift) / std::hypot(1.0, noise)) - normal_below(1);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  int held = 0;
  for (int set = 0; set < kDataSets; ++set) {
    std::vector<float> reference, quantized;
    for (std::size_t s = 0; s < samples; ++s) {
      const double margin = 1 + normal(random);
      reference.push_back(static_cast<float>(margin));
      quantized.push_back(static_cast<float>(margin + noise * normal(random) - shift));
    }
    const auto [low, high] = rates(reference, quantized).difference_interval.value();
    if (low <= truth && truth <= high) ++held;
  }
  return 100.0 * held / kDataSets;
}

/// In the test's report (--gtest_output=xml).
double recorded(const std::string& name, double percent) {
  testing::Test::RecordProperty(name, std::to_string(percent));
  return percent;
}

// Newcombe's interval is wide where few answers differ, which errs on the safe side: with a noise
// of 0.3 and a shift of 0.1 of a margin 7 % do, with 0.5 and 0.4 16 %.
TEST(Coverage, OfThePairedDifferenceOfRatesIsAsPromised) {
  for (const std::size_t samples : {100U, 500U}) {
    const std::string of = std::to_string(samples);
    EXPECT_THAT(recorded("few_" + of, share_held(samples, 0.3, 0.1, 1)), Ge(93)) << samples;
    EXPECT_THAT(recorded("many_" + of, share_held(samples, 0.5, 0.4, 2)), Ge(93)) << samples;
  }
}

/// Distances whose squares are log-normal in each sample, alike in both models.
double share_of_distances_held(std::size_t samples, double spread, unsigned seed) {
  constexpr double kMore = 1.2;  // of the second model, in the mean
  const double truth = (kMore - 1) * std::exp(spread * spread / 2);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto count = static_cast<std::int64_t>(samples);
  int held = 0;
  for (int set = 0; set < kDataSets; ++set) {
    Batch batch;
    std::vector<float> reference, quantized;
    for (std::size_t s = 0; s < samples; ++s) {
      const double common = std::sqrt(0.8) * normal(random);
      const auto distance = [&] {
        return std::exp(spread / 2 * (common + std::sqrt(0.2) * normal(random)));
      };
      batch.samples.push_back(s);
      batch.labels.emplace_back(Tensor::from<float>({1}, {0}));
      reference.push_back(static_cast<float>(distance()));
      quantized.push_back(static_cast<float>(std::sqrt(kMore) * distance()));
    }
    AccuracyPairSink sink(parse_metric("mse"), {});
    sink.add(batch, {{{"y", Tensor::from<float>({count, 1}, std::move(reference))}},
                     {{"y", Tensor::from<float>({count, 1}, std::move(quantized))}}});
    const auto [low, high] = sink.result().difference_interval.value();
    if (low <= truth && truth <= high) ++held;
  }
  return 100.0 * held / kDataSets;
}

TEST(Coverage, OfThePairedDifferenceOfDistancesIsAsPromised) {
  for (const std::size_t samples : {100U, 500U}) {
    const std::string of = std::to_string(samples);
    EXPECT_THAT(recorded("half_" + of, share_of_distances_held(samples, 0.5, 3)),
                AllOf(Ge(93), Le(97)));
    EXPECT_THAT(recorded("one_" + of, share_of_distances_held(samples, 1, 4)),
                AllOf(Ge(93), Le(97)));
  }
}

}  // namespace
}  // namespace quantlens
