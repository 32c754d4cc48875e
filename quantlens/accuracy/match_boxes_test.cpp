// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/match_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;

constexpr double kHalf[] = {0.5};

/// A box of height 1 from `x` on, so that overlaps are those of lines.
Box line(double x, double length) {
  return {.x1 = x, .y1 = 0, .x2 = x + length, .y2 = 1};
}

std::vector<int> hits_of(const std::vector<BoxVerdict>& verdicts) {
  std::vector<int> hits;
  hits.reserve(verdicts.size());
  for (const BoxVerdict& verdict : verdicts) hits.push_back(verdict.hit);
  return hits;
}

TEST(Overlap, IsSharedAreaOverBoth) {
  EXPECT_DOUBLE_EQ(overlap(line(0, 4), {line(2, 4), false}), 2.0 / 6);
  EXPECT_EQ(overlap(line(0, 1), {line(2, 1), false}), 0);
  EXPECT_EQ(overlap(line(0, 1), {line(0, 1), false}), 1);
}

TEST(Overlap, OfACrowdIsOverTheDetectionAlone) {
  EXPECT_DOUBLE_EQ(overlap(line(0, 4), {line(2, 100), true}), 2.0 / 4);
}

TEST(Overlap, OfBoxesWithoutAreaIsNone) {
  EXPECT_EQ(overlap(line(3, -2), {line(1, 2), false}), 0);
  EXPECT_EQ(overlap(line(3, 0), {line(3, 0), false}), 0);
}

TEST(MatchBoxes, GoesByFallingScoreAndTakesEachObjectOnce) {
  const auto verdicts = match_boxes({{line(0, 9), 0.1}, {line(0, 10), 0.9}, {line(50, 1), 0.5}},
                                    {{line(0, 10), false}}, kHalf);
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].score, 0.9);
  EXPECT_THAT(hits_of(verdicts), ElementsAre(1, 0, 0));
}

TEST(MatchBoxes, TakesTheObjectThatOverlapsMost) {
  // The first could take either; it takes the second, so that the other is left for the next one.
  const auto verdicts = match_boxes({{line(2, 10), 0.9}, {line(0, 10), 0.8}},
                                    {{line(0, 10), false}, {line(2, 9), false}}, kHalf);
  EXPECT_THAT(hits_of(verdicts), ElementsAre(1, 1));
}

TEST(MatchBoxes, HasAVerdictForEachThreshold) {
  const double thresholds[] = {0.5, 0.75, 0.9};
  const auto verdicts = match_boxes({{line(0, 8), 1}}, {{line(0, 10), false}}, thresholds);
  EXPECT_EQ(verdicts.at(0).hit, 0b011);
}

TEST(MatchBoxes, IgnoresWhatFindsACrowdOnly) {
  const auto verdicts =
      match_boxes({{line(0, 10), 0.9}, {line(1, 10), 0.8}, {line(20, 5), 0.7}, {line(22, 5), 0.6}},
                  {{line(0, 40), true}, {line(0, 10), false}}, kHalf);
  EXPECT_THAT(hits_of(verdicts), ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(verdicts[0].ignored, 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(verdicts[i].ignored, 1) << i;
}

TEST(MatchBoxes, TakesAHundredDetections) {
  std::vector<DetectedBox> detected;
  detected.reserve(150);
  for (int i = 0; i < 150; ++i) detected.push_back({line(i, 1), i / 150.0});
  const auto verdicts = match_boxes(detected, {}, kHalf);
  ASSERT_EQ(verdicts.size(), 100u);
  EXPECT_EQ(verdicts.back().score, 50 / 150.0);
}

TEST(InterpolatedPrecision, IsTheGreatestAtARecallOrBeyond) {
  EXPECT_DOUBLE_EQ(interpolated_precision({true, true}, 2), 1);
  EXPECT_EQ(interpolated_precision({false, false}, 2), 0);
  EXPECT_EQ(interpolated_precision({}, 2), 0);
  // recall 0.5 with precision 1, recall 1 with precision 2/3: points 0..50 and 51..100
  EXPECT_NEAR(interpolated_precision({true, false, true}, 2), (51 + 50 * 2.0 / 3) / 101, 1e-14);
  // half found, after one that is wrong
  EXPECT_DOUBLE_EQ(interpolated_precision({false, true}, 2), 51 * 0.5 / 101);
}

}  // namespace
}  // namespace quantlens
