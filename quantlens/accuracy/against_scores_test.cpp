// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/against_scores.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/accuracy/testing/steps.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace quantlens {
namespace {

constexpr std::uint64_t kSamples = 300;

/// A sample of two class scores; the reference is right nine times out of ten, the other one less.
Step step(std::uint64_t sample) {
  const auto label = static_cast<std::int64_t>(sample % 2);
  const auto scores = [&](bool right) {
    const bool first = (label == 0) == right;
    return Tensor::from<float>({1, 2}, {first ? 1.0F : 0.0F, first ? 0.0F : 1.0F});
  };
  Step step;
  step.batch.samples = {sample};
  step.batch.labels.emplace_back(Tensor::scalar<std::int64_t>(label));
  step.outputs.reference = {{"y", scores(some(sample) < 0.9)}};
  step.outputs.quantized = {{"y", scores(some(sample + 1000) < 0.8)}};
  return step;
}

/// A sample of a regression.
Step number_step(std::uint64_t sample) {
  const auto value = [](double x) { return Tensor::from<float>({1, 1}, {static_cast<float>(x)}); };
  Step step;
  step.batch.samples = {sample};
  step.batch.labels.emplace_back(Tensor::from<float>({1}, {static_cast<float>(some(sample))}));
  step.outputs.reference = {{"y", value(some(sample) + 0.1 * some(sample + 500))}};
  step.outputs.quantized = {{"y", value(some(sample) + 0.2 * some(sample + 900))}};
  return step;
}

/// The scores as they are read back from a file.
template <class Make>
Scores kept(const MetricSpec& metric, Make&& make) {
  ScoresSink sink(metric, kSamples);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Step one = make(i);
    sink.add(one.batch, {one.outputs.reference, {}});
  }
  const std::string text = json::dump(json::encode(sink.result()));
  return json::decode<Scores>(json::parse(text, "scores"), "scores");
}

/// Both at once over the first `count` samples, as evaluate --against has it.
template <class Make>
AccuracyRecord together(const MetricSpec& metric, Make&& make, std::uint64_t count) {
  AccuracyPairSink sink(metric, {});
  for (std::uint64_t i = 0; i < count; ++i) {
    const Step one = make(i);
    sink.add(one.batch, one.outputs);
  }
  return sink.result();
}

template <class Make>
std::vector<std::uint64_t> expect_the_same(const MetricSpec& metric, Make&& make) {
  const Scores scores = kept(metric, make);
  AgainstScoresSink sink(metric, scores, kSamples);
  std::vector<std::uint64_t> looks;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Step one = make(i);
    if (!sink.add(one.batch, {one.outputs.quantized, {}})) continue;
    looks.push_back(i + 1);
    const AccuracyRecord pair = sink.result();
    const AccuracyRecord expected = together(metric, make, i + 1);
    EXPECT_EQ(pair.reference->value, expected.reference->value) << i;
    EXPECT_EQ(pair.quantized.value, expected.quantized.value) << i;
    EXPECT_EQ(pair.quantized.samples, i + 1);
    EXPECT_EQ(pair.difference_interval, expected.difference_interval) << i;
    EXPECT_EQ(pair.lost, expected.lost);
    EXPECT_EQ(pair.gained, expected.gained);
  }
  return looks;
}

TEST(AgainstScores, ARateIsPairedAsIfBothHadRun) {
  EXPECT_EQ(expect_the_same(parse_metric("top1"), step),
            (std::vector<std::uint64_t>{37, 75, 150, 300}));
}

TEST(AgainstScores, SoIsAFigureThatIsNoRate) {
  EXPECT_EQ(expect_the_same(parse_metric("mse"), number_step),
            (std::vector<std::uint64_t>{37, 75, 150, 300}));
}

/// The cautious interval where just these samples answer otherwise.
std::optional<std::array<double, 2>> cautious(const std::string& metric,
                                              Step (*make)(std::uint64_t),
                                              const std::set<std::uint64_t>& differ) {
  const MetricSpec spec = parse_metric(metric);
  const Scores scores = kept(spec, make);
  AgainstScoresSink sink(spec, scores, kSamples);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Step one = make(i);
    const bool differs = differ.contains(i);
    sink.add(one.batch, {differs ? one.outputs.quantized : one.outputs.reference, {}});
  }
  return sink.cautious_interval();
}

TEST(AgainstScores, SamplesThatDoNotDifferYetLeaveRoomForThreeThatWill) {
  const double three = 3.0 / kSamples;
  const auto none = cautious("top1", step, {});
  ASSERT_TRUE(none);
  EXPECT_LE(none->front(), -three);
  EXPECT_GE(none->back(), three);
  std::uint64_t lost = 0;  // right in the first model alone
  while (some(lost) >= 0.9 || some(lost + 1000) < 0.8) ++lost;
  for (const auto& differ : {std::set<std::uint64_t>{}, std::set<std::uint64_t>{lost}}) {
    const auto f1 = cautious("f1", step, differ);
    ASSERT_TRUE(f1);
    EXPECT_GE(f1->back() - f1->front(), 2 * three) << differ.size();
    EXPECT_LT(f1->front(), 0);
    EXPECT_GT(f1->back(), 0);
  }
  EXPECT_EQ(cautious("mse", number_step, {}), std::nullopt) << "which has no bound";
}

TEST(AgainstScores, WhereManyDifferTheirIntervalIsEnough) {
  std::set<std::uint64_t> all;
  for (std::uint64_t i = 0; i < kSamples; ++i) all.insert(i);
  EXPECT_EQ(cautious("mse", number_step, all),
            together(parse_metric("mse"), number_step, kSamples).difference_interval);
  EXPECT_EQ(cautious("top1", step, all),
            together(parse_metric("top1"), step, kSamples).difference_interval);
}

TEST(AgainstScores, SamplesThatWereNotScoredAreRefused) {
  const MetricSpec metric = parse_metric("top1");
  Scores scores = kept(metric, step);
  scores.right.resize(10);
  AgainstScoresSink sink(metric, scores, kSamples);
  for (std::uint64_t i = 0; i < 10; ++i) sink.add(step(i).batch, {step(i).outputs.quantized, {}});
  EXPECT_THROW(sink.add(step(10).batch, {step(10).outputs.quantized, {}}), Error);

  const MetricSpec mse = parse_metric("mse");
  const Scores figures = kept(mse, number_step);
  AgainstScoresSink other(mse, figures, kSamples);
  other.add(number_step(0).batch, {number_step(0).outputs.quantized, {}});
  EXPECT_THROW(other.result(), Error);  // nothing is kept of one sample
}

TEST(LookingPoints, FewSamplesAreLookedAtOnce) {
  LookingPoints points(40);
  std::vector<std::uint64_t> looks;
  for (std::uint64_t seen = 8; seen <= 40; seen += 8) {
    if (points.pass(seen)) looks.push_back(seen);
  }
  EXPECT_EQ(looks, (std::vector<std::uint64_t>{40}));
}

}  // namespace
}  // namespace quantlens
