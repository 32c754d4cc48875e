// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

using Row = std::vector<float>;

Batch targets_batch(std::uint64_t first, const std::vector<Row>& targets) {
  Batch batch;
  for (const Row& row : targets) {
    batch.samples.push_back(first + batch.samples.size());
    batch.labels.emplace_back(Tensor::from<float>({static_cast<std::int64_t>(row.size())}, row));
  }
  return batch;
}

Tensor output_of(const std::vector<Row>& rows) {
  Row all;
  for (const Row& row : rows) all.insert(all.end(), row.begin(), row.end());
  return Tensor::from<float>(
      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())}, all);
}

Accuracy accuracy_of(const std::string& metric, const std::vector<Row>& answers,
                     const std::vector<Row>& targets) {
  AccuracySink sink(parse_metric(metric));
  sink.add(targets_batch(0, targets), {.reference = {{"y", output_of(answers)}}, .quantized = {}});
  return sink.result();
}

TEST(Distance, IsOfAllElementsTogether) {
  const std::vector<Row> answers{{1, 2}, {3, 4}, {5, 6}};
  const std::vector<Row> targets{{1, 0}, {3, 5}, {5, 3}};  // off by 0 2, 0 -1, 0 3
  EXPECT_DOUBLE_EQ(accuracy_of("mse", answers, targets).value, 14.0 / 6);
  EXPECT_DOUBLE_EQ(accuracy_of("rmse", answers, targets).value, std::sqrt(14.0 / 6));
  EXPECT_DOUBLE_EQ(accuracy_of("mae", answers, targets).value, 1);
}

TEST(Distance, IsBetterTheLower) {
  const Accuracy mse = accuracy_of("mse", {{1}}, {{1}});
  EXPECT_FALSE(mse.higher_is_better);
  EXPECT_FALSE(mse.is_rate);
  EXPECT_TRUE(accuracy_of("mse:higher_is_better=true", {{1}}, {{1}}).higher_is_better);
}

// Of samples in blocks of their own the jackknife of a mean is Student's interval.
TEST(Distance, HasTheIntervalOfAMean) {
  const Accuracy mae =
      accuracy_of("mae", {{1}, {2}, {3}, {4}, {5}, {6}}, {{0}, {0}, {0}, {0}, {0}, {0}});
  const double half = 2.570582 * std::sqrt(3.5 / 6);  // variance 3.5, five degrees of freedom
  const auto [low, high] = mae.interval.value();
  EXPECT_NEAR(low, 3.5 - half, 0.01);
  EXPECT_NEAR(high, 3.5 + half, 0.01);
}

TEST(Distance, OfTwoSamplesKnowsNothing) {
  const Accuracy mse = accuracy_of("mse", {{1}, {2}}, {{0}, {0}});
  EXPECT_EQ(mse.interval, (std::array<double, 2>{0, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(AccuracySink(parse_metric("mse")).result().value, 0);
}

TEST(Distance, OfTwoModelsIsPaired) {
  AccuracyPairSink sink(parse_metric("mse"), {});
  std::vector<Row> targets, reference, quantized;
  for (int i = 0; i < 40; ++i) {
    const auto noise = static_cast<float>(i % 7);
    targets.push_back({0});
    reference.push_back({noise});                             // squares of very unequal size
    quantized.push_back({std::sqrt(noise * noise + 0.25F)});  // each greater by a quarter
  }
  sink.add(targets_batch(0, targets),
           {{{"y", output_of(reference)}}, {{"y", output_of(quantized)}}});
  const AccuracyRecord pair = sink.result();
  EXPECT_NEAR(pair.difference.value(), 0.25, 1e-6);
  const auto [low, high] = pair.difference_interval.value();
  EXPECT_NEAR(low, 0.25, 1e-5);
  EXPECT_NEAR(high, 0.25, 1e-5);
  const auto [alone_low, alone_high] = pair.reference->interval.value();
  EXPECT_GT(alone_high - alone_low, 1);
  EXPECT_NEAR(pair.ratio.value(), 0.25 / pair.reference->value, 1e-6);
  EXPECT_TRUE(pair.flips.empty());
}

TEST(Distance, OfWhatIsNoNumberHasNoInterval) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Accuracy mse = accuracy_of("mse", {{1}, {nan}, {1}, {1}}, {{0}, {0}, {0}, {0}});
  EXPECT_TRUE(std::isnan(mse.value));
  EXPECT_FALSE(mse.interval.has_value());
}

TEST(Distance, TakesTargetsOfTheOutputsShapeOnly) {
  AccuracySink sink(parse_metric("mse"));
  Batch batch = targets_batch(0, {{0, 0, 0}});
  const auto failure = [&](const Tensor& output) {
    try {
      sink.add(batch, {.reference = {{"y", output}}, .quantized = {}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no failure");
  };
  EXPECT_EQ(failure(Tensor::from<float>({1, 1, 3, 1}, {1, 1, 1})), "no failure");
  EXPECT_THAT(failure(Tensor::from<float>({1, 2}, {1, 1})),
              HasSubstr("sample 0: its label is float32 of shape [3]; this metric needs a target "
                        "of the output's shape, which is [2]"));
  EXPECT_THAT(failure(Tensor::from<float>({1, 3, 3}, Row(9))), HasSubstr("[3,3]"));
  batch.labels[0] = Tensor::from<float>({3}, {0, std::numeric_limits<float>::infinity(), 0});
  EXPECT_THAT(failure(Tensor::from<float>({1, 3}, Row(3))), HasSubstr("finite"));
  batch.labels[0].reset();
  EXPECT_THAT(failure(Tensor::from<float>({1, 3}, Row(3))), HasSubstr("no labels"));
}

}  // namespace
}  // namespace quantlens
