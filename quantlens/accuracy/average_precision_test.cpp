// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

using Floats = std::vector<float>;

Batch boxes_batch(std::uint64_t sample, Floats rows, std::int64_t width = 5) {
  const auto count = static_cast<std::int64_t>(rows.size()) / width;
  return {.samples = {sample},
          .inputs = {},
          .labels = {Tensor::from<float>({count, width}, std::move(rows))}};
}

TensorMap detections_of(Floats boxes, Floats scores, std::vector<std::int64_t> classes) {
  const auto count = static_cast<std::int64_t>(scores.size());
  return {{"boxes", Tensor::from<float>({1, count, 4}, std::move(boxes))},
          {"scores", Tensor::from<float>({1, count}, std::move(scores))},
          {"classes", Tensor::from<std::int64_t>({1, count}, std::move(classes))}};
}

double map_of(const std::string& metric, const Batch& batch, const TensorMap& outputs) {
  AccuracySink sink(parse_metric(metric));
  sink.add(batch, {.reference = outputs, .quantized = {}});
  return sink.result().value;
}

std::string failure(const std::string& metric, const Batch& batch, const TensorMap& outputs) {
  try {
    map_of(metric, batch, outputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

// One object of class 3, found by a box that covers 80 % of it: seven of the ten thresholds.
const Batch kOne = boxes_batch(0, {0, 0, 10, 10, 3});
const TensorMap kFound = detections_of({0, 0, 10, 8}, {0.9F}, {3});

TEST(AveragePrecision, IsTheMeanOverTenThresholds) {
  EXPECT_DOUBLE_EQ(map_of("map", kOne, kFound), 0.7);
  EXPECT_EQ(map_of("map:iou=0.8", kOne, kFound), 1);
  EXPECT_EQ(map_of("map:iou=0.81", kOne, kFound), 0);
}

TEST(AveragePrecision, IsTheMeanOverTheClassesThatThereAre) {
  const Batch batch = boxes_batch(0, {0, 0, 10, 10, 3, 0, 0, 10, 10, 5, 0, 0, 0, 0, -1});
  // Class 5 is missed; what is found of class 7, of which there are none, costs nothing.
  EXPECT_DOUBLE_EQ(
      map_of("map", batch,
             detections_of({0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 0, 0}, {0.9F, 0.8F, 0}, {3, 7, -1})),
      0.5);
}

TEST(AveragePrecision, CountsNoCrowds) {
  const Batch batch = boxes_batch(0, {0, 0, 10, 10, 3, 0, 20, 0, 90, 90, 3, 1}, 6);
  EXPECT_EQ(
      map_of("map", batch, detections_of({30, 30, 40, 40, 0, 0, 10, 10}, {0.9F, 0.8F}, {3, 3})), 1);
}

TEST(AveragePrecision, TakesEveryOrderOfABox) {
  const Batch batch = boxes_batch(0, {1, 2, 11, 5, 0});
  EXPECT_EQ(
      map_of("map:format=yxyx,label_format=xyxy", batch, detections_of({2, 1, 5, 11}, {1}, {0})),
      1);
  EXPECT_EQ(
      map_of("map:format=xywh,label_format=xyxy", batch, detections_of({1, 2, 10, 3}, {1}, {0})),
      1);
  EXPECT_EQ(map_of("map:format=xywh", boxes_batch(0, {1, 2, 10, 3, 0}),
                   detections_of({1, 2, 10, 3}, {1}, {0})),
            1);
}

TEST(AveragePrecision, TakesOneOutputOfRows) {
  const TensorMap rows = {{"d", Tensor::from<float>({1, 1, 6}, {0, 0, 10, 8, 0.9F, 3})}};
  EXPECT_DOUBLE_EQ(map_of("map", kOne, rows), 0.7);
  TensorMap two = rows;
  two.emplace("other", Tensor::from<float>({1}, {0}));
  EXPECT_DOUBLE_EQ(map_of("map:detections=d", kOne, two), 0.7);
}

TEST(AveragePrecision, TakesOutputsOfAnyNameAndWithoutABatch) {
  const TensorMap outputs = {{"a", Tensor::from<float>({1, 4}, {0, 0, 10, 8})},
                             {"b", Tensor::from<float>({1}, {0.9F})},
                             {"labels", Tensor::from<float>({1}, {4})}};
  EXPECT_DOUBLE_EQ(map_of("map:boxes=a,scores=b,label_offset=1", kOne, outputs), 0.7);
  EXPECT_THAT(failure("map:boxes=a", kOne, outputs),
              HasSubstr("outputs a, b, labels; say which one holds the scores with "
                        "map:scores=OUTPUT"));
}

TEST(AveragePrecision, OfNoDetectionIsZero) {
  EXPECT_EQ(map_of("map", kOne, detections_of({}, {}, {})), 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(map_of("map", kOne, detections_of({0, 0, 10, nan}, {0.9F}, {3})), 0);
  EXPECT_EQ(map_of("map", kOne, detections_of({0, 0, 10, 10}, {nan}, {3})), 0);
  EXPECT_EQ(map_of("map", boxes_batch(0, {}), kFound), 0);
}

TEST(AveragePrecision, RanksDetectionsOfAllImages) {
  AccuracySink sink(parse_metric("map:iou=0.5"));
  const Floats box{0, 0, 10, 10};
  const Floats elsewhere{50, 50, 60, 60};
  sink.add(boxes_batch(0, {0, 0, 10, 10, 0}),
           {.reference = detections_of(elsewhere, {0.8F}, {0}), .quantized = {}});
  sink.add(boxes_batch(1, {0, 0, 10, 10, 0}),
           {.reference = detections_of(box, {0.9F}, {0}), .quantized = {}});
  sink.add(boxes_batch(2, {0, 0, 10, 10, 0}),
           {.reference = detections_of(box, {0.7F}, {0}), .quantized = {}});
  const Accuracy result = sink.result();
  // hit, wrong, hit of three: precision 1 up to recall 1/3, 2/3 up to 2/3: points 0..33, 34..66
  EXPECT_NEAR(result.value, (34 + 33 * 2.0 / 3) / 101, 1e-14);
  EXPECT_EQ(result.samples, 3u);
}

TEST(AveragePrecision, OfTwoModelsIsPaired) {
  AccuracyPairSink sink(parse_metric("map"), {});
  for (std::uint64_t i = 0; i < 64; ++i) {
    const auto off = static_cast<float>(i % 5);
    sink.add(boxes_batch(i, {0, 0, 10, 10, 0}),
             {detections_of({0, off, 10, 10}, {0.5F}, {0}),
              detections_of({0, off, 10, i == 3 ? 5.F : 10.F}, {0.5F}, {0})});
  }
  const AccuracyRecord pair = sink.result();
  EXPECT_LT(pair.difference, 0);
  const auto [low, high] = pair.difference_interval.value();
  const auto [alone_low, alone_high] = pair.reference->interval.value();
  EXPECT_LT(low, pair.difference);
  EXPECT_GT(high, pair.difference);
  EXPECT_LT(high - low, alone_high - alone_low);
}

TEST(AveragePrecision, SaysWhatDoesNotFit) {
  EXPECT_THAT(failure("map", boxes_batch(0, {0, 0, 1, 1}, 4), kFound),
              HasSubstr("needs rows x1, y1, x2, y2, class and perhaps crowd"));
  EXPECT_THAT(failure("map", boxes_batch(0, {0, 0, 1, 1, 0.5F}), kFound),
              HasSubstr("whole number"));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(failure("map", boxes_batch(0, {0, 0, inf, 1, 0}), kFound), HasSubstr("finite"));
  EXPECT_THAT(failure("map", {.samples = {0}, .inputs = {}, .labels = {}}, kFound),
              HasSubstr("no labels"));
  TensorMap uneven = kFound;
  uneven["scores"] = Tensor::from<float>({1, 2}, {0, 0});
  EXPECT_THAT(failure("map", kOne, uneven), HasSubstr("'scores' of shape [1,2]"));
  EXPECT_THAT(failure("map:boxes=scores", kOne, kFound), HasSubstr("must end in 4 numbers"));
  EXPECT_THAT(failure("map:detections=boxes", kOne, kFound), HasSubstr("must end in 6 numbers"));
  EXPECT_THAT(failure("map:boxes=boxs", kOne, kFound), HasSubstr("did you mean 'boxes'"));
  EXPECT_THAT(failure("map:detections=d,boxes=b", kOne, kFound), HasSubstr("leave boxes"));
  EXPECT_THAT(failure("map:iou=1.5", kOne, kFound), HasSubstr("above 0, at most 1"));
  EXPECT_THAT(failure("map:format=cxcywh", kOne, kFound), HasSubstr("one of xyxy, yxyx, xywh"));
  uneven["scores"] = Tensor::from<float>({1, 1}, {0});
  uneven["classes"] = Tensor::from<float>({1, 1}, {0.5F});
  EXPECT_THAT(failure("map", kOne, uneven), HasSubstr("no whole number"));
}

}  // namespace
}  // namespace quantlens
