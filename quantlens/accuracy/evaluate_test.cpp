// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/rate_interval.h"

namespace quantlens {
namespace {

/// Class scores that answer `answers`, one a sample, out of three classes.
Tensor scores_for(const std::vector<std::int64_t>& answers) {
  std::vector<float> scores;
  for (const std::int64_t answer : answers) {
    for (std::int64_t c = 0; c < 3; ++c) scores.push_back(c == answer ? 1 : 0);
  }
  return Tensor::from<float>({static_cast<std::int64_t>(answers.size()), 3}, std::move(scores));
}

Batch batch_of(std::uint64_t first, const std::vector<std::int64_t>& labels) {
  Batch batch;
  for (const std::int64_t label : labels) {
    batch.samples.push_back(first + batch.samples.size());
    batch.labels.emplace_back(Tensor::scalar<std::int64_t>(label));
  }
  return batch;
}

Outputs outputs_of(const std::vector<std::int64_t>& reference,
                   const std::vector<std::int64_t>& quantized) {
  return {{{"y", scores_for(reference)}}, {{"y", scores_for(quantized)}}};
}

/// What a data set would call its samples.
std::string name_of(std::uint64_t sample) {
  return "row " + std::to_string(sample);
}

TEST(AccuracySink, CountsOverBatches) {
  AccuracySink sink(parse_metric("top1"));
  sink.add(batch_of(0, {0, 1, 2}), outputs_of({0, 1, 1}, {}));
  sink.add(batch_of(3, {2}), outputs_of({2}, {}));
  const Accuracy accuracy = sink.result();
  EXPECT_EQ(accuracy.metric, "top1");
  EXPECT_EQ(accuracy.samples, 4u);
  EXPECT_EQ(accuracy.value, 0.75);
  EXPECT_EQ(accuracy.interval, rate_interval(3, 4));
}

TEST(AccuracySink, OfNoSamplesKnowsNothing) {
  const Accuracy accuracy = AccuracySink(parse_metric("top1")).result();
  EXPECT_EQ(accuracy.samples, 0u);
  EXPECT_EQ(accuracy.interval, (std::array<double, 2>{0, 1}));
}

TEST(AccuracyPairSink, PairsTheAnswersOfBothModels) {
  AccuracyPairSink sink(parse_metric("top1"), name_of);
  // right in both, lost, lost, gained, wrong in both
  sink.add(batch_of(0, {0, 0, 1, 1, 2}), outputs_of({0, 0, 1, 0, 0}, {0, 1, 2, 1, 1}));
  const AccuracyRecord pair = sink.result();
  EXPECT_EQ(pair.reference->value, 0.6);
  EXPECT_EQ(pair.quantized.value, 0.4);
  EXPECT_EQ(pair.lost, 2u);
  EXPECT_EQ(pair.gained, 1u);
  EXPECT_DOUBLE_EQ(pair.difference.value(), -0.2);
  EXPECT_DOUBLE_EQ(pair.ratio.value(), -0.2 / 0.6);
  EXPECT_EQ(pair.difference_interval, paired_rate_interval(1, 1, 2, 1));
}

TEST(AccuracyPairSink, TellsWhichSamplesFlippedAndHow) {
  AccuracyPairSink sink(parse_metric("top1"), name_of);
  sink.add(batch_of(7, {0, 1}), outputs_of({0, 2}, {2, 1}));
  const std::vector<Flip> flips = sink.result().flips;
  ASSERT_EQ(flips.size(), 2u);
  EXPECT_EQ(flips[0].sample, 7u);
  EXPECT_EQ(flips[0].name, "row 7");
  EXPECT_EQ(flips[0].direction, FlipDirection::lost);
  EXPECT_EQ(flips[0].label, 0);
  EXPECT_EQ(flips[0].reference, 0);
  EXPECT_EQ(flips[0].other, 2);
  EXPECT_EQ(flips[1].direction, FlipDirection::gained);
}

TEST(AccuracyPairSink, KeepsTheFirstFlipsAndCountsAll) {
  AccuracyPairSink sink(parse_metric("top1"), {});
  for (std::uint64_t i = 0; i < kFlipsKept + 50; ++i) {
    sink.add(batch_of(i, {0}), outputs_of({0}, {1}));
  }
  const AccuracyRecord pair = sink.result();
  EXPECT_EQ(pair.lost, kFlipsKept + 50);
  ASSERT_EQ(pair.flips.size(), kFlipsKept);
  EXPECT_EQ(pair.flips.back().name, "sample " + std::to_string(kFlipsKept - 1));
}

TEST(AccuracyPairSink, FindsTheOnlyOutputUnderAnotherName) {
  AccuracyPairSink sink(parse_metric("top1:output=y"), {});
  const Outputs outputs{{{"y", scores_for({1})}}, {{"y_dequantized", scores_for({1})}}};
  sink.add(batch_of(0, {1}), outputs);
  EXPECT_EQ(sink.result().quantized.value, 1);
}

TEST(AccuracyPairSink, HasNoRatioToAnAccuracyOfZero) {
  AccuracyPairSink sink(parse_metric("top1"), {});
  sink.add(batch_of(0, {0}), outputs_of({1}, {0}));
  EXPECT_FALSE(sink.result().ratio.has_value());
}

TEST(AccuracyPairSink, KeepsWhatItCountedWhereABatchDoesNotFit) {
  AccuracyPairSink sink(parse_metric("top1"), {});
  sink.add(batch_of(0, {0}), outputs_of({0}, {0}));
  EXPECT_THROW(sink.add(batch_of(1, {9}), outputs_of({0}, {0})), Error);
  EXPECT_EQ(sink.result().reference->samples, 1u);
}

/// The mean of the labels.
class MeanLabel final : public Metric {
 public:
  void add(const Batch& batch, const TensorMap& /*outputs*/) override {
    for (const auto& label : batch.labels) labels_.push_back(label->data<std::int64_t>()[0]);
  }
  MetricFigure figure() const override {
    double sum = 0;
    for (const std::int64_t label : labels_) sum += static_cast<double>(label);
    const double mean = sum / static_cast<double>(labels_.size());
    return {.value = mean,
            .samples = labels_.size(),
            .bounds = {0, 2},
            .right = {},
            .without = std::vector<double>(labels_.size(), mean)};
  }

 private:
  std::vector<std::int64_t> labels_;
};

TEST(OwnMetric, IsScoredLikeOneOfOurs) {
  MetricSpec spec{.name = "mean label", .options = {}, .program = {}, .make = [] {
                    return std::make_unique<MeanLabel>();
                  }};
  EXPECT_TRUE(needs_data(spec));
  EXPECT_TRUE(is_higher_better(spec));
  EXPECT_FALSE(keeps_state(spec));
  EXPECT_NO_THROW(check_output(spec, {}));
  AccuracyPairSink sink(spec, name_of);
  sink.add(batch_of(0, {0, 1, 2}), outputs_of({0, 1, 1}, {0, 1, 1}));
  EXPECT_EQ(sink.result().quantized.value, 1);
  EXPECT_EQ(sink.result().quantized.metric, "mean label");
  EXPECT_EQ(sink.result().difference, 0);
  spec.options[kHigherIsBetter] = "false";
  EXPECT_FALSE(is_higher_better(spec));
}

TEST(OwnMetric, IsNotPutTogetherFromParts) {
  const MetricSpec spec{.name = "mean label", .options = {}, .program = {}, .make = [] {
                          return std::make_unique<MeanLabel>();
                        }};
  AccuracySink sink(spec);
  try {
    sink.merge(AccuracySink(spec).state());
    FAIL() << "it was merged";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
  }
}

TEST(OwnMetric, ThatMakesNothingIsRefused) {
  const MetricSpec spec{.name = "none", .options = {}, .program = {}, .make = [] {
                          return std::unique_ptr<Metric>();
                        }};
  EXPECT_THROW(AccuracySink{spec}, Error);
}

}  // namespace
}  // namespace quantlens
