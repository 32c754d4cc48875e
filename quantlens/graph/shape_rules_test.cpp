// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/shape_rules.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens::shape_rules {
namespace {

Dim of(std::int64_t extent) {
  return {.extent = extent, .symbol = {}};
}

const Dim kOpen;
const Dim kBatch{.extent = {}, .symbol = "N"};
const Dim kSteps{.extent = {}, .symbol = "T"};

TEST(ShapeRules, BroadcastKeepsANameWhereTheOtherIsOneOrTheSame) {
  EXPECT_EQ(broadcast(Dims{kBatch, of(1), of(3)}, Dims{kSteps, of(3)}),
            (Dims{kBatch, kSteps, of(3)}));
  EXPECT_EQ(broadcast(Dims{kBatch}, Dims{kBatch}), (Dims{kBatch}));
  EXPECT_EQ(broadcast(Dims{kBatch}, Dims{kSteps}), (Dims{kOpen}));
  EXPECT_EQ(broadcast(Dims{kBatch}, Dims{kOpen}), (Dims{kOpen}));
  EXPECT_EQ(broadcast(Dims{of(1)}, Dims{kOpen}), (Dims{kOpen}));
  EXPECT_EQ(broadcast(Dims{of(4)}, Dims{kOpen}), (Dims{of(4)}));
}

TEST(ShapeRules, AWindowKeepsANameWhereItChangesNoExtent) {
  const std::int64_t kernel[] = {3};
  EXPECT_EQ(slid({kBatch, kSteps}, 1, {.pads = {1, 1}}, kernel, false), (Dims{kBatch, kSteps}));
  EXPECT_EQ(slid({kBatch, kSteps}, 1, {.pads = {1, 0}}, kernel, false), (Dims{kBatch, kOpen}));
  EXPECT_EQ(slid({kSteps}, 0, {.strides = {2}, .pads_to_fit = true}, kernel, false), (Dims{kOpen}));
  EXPECT_EQ(slid({of(7)}, 0, {.strides = {2}, .pads_to_fit = true}, kernel, false), (Dims{of(4)}));
}

TEST(ShapeRules, AWindowThatRoundsUpIsKnownUnlessItsLastPlaceIsBehindTheData) {
  const std::int64_t three[] = {3}, two[] = {2};
  EXPECT_EQ(slid({of(7)}, 0, {.strides = {2}, .rounds_up = true}, three, false), (Dims{of(3)}));
  EXPECT_EQ(slid({of(8)}, 0, {.strides = {2}, .rounds_up = true}, three, false), (Dims{of(4)}));
  EXPECT_EQ(slid({of(3)}, 0, {.strides = {3}, .pads = {0, 1}, .rounds_up = true}, two, false),
            (Dims{kOpen}));
}

TEST(ShapeRules, JoinedAddsUpOneAxisAndLearnsTheOthersFromAnyPart) {
  const std::vector<Dims> parts{{kOpen, of(2)}, {kBatch, of(3)}};
  EXPECT_EQ(joined(parts, 1), (Dims{kBatch, of(5)}));
  const std::vector<Dims> unknown{{kOpen, of(2)}, {of(4), kSteps}};
  EXPECT_EQ(joined(unknown, 1), (Dims{of(4), kOpen}));
}

TEST(ShapeRules, AReshapeFindsWhatIsLeftOver) {
  EXPECT_EQ(reshaped(Dims{kBatch, of(4), of(6)}, {of(0), of(-1), of(8)}, true),
            (Dims{kBatch, of(3), of(8)}));
  EXPECT_EQ(reshaped(Dims{kBatch, of(4), of(6)}, {of(-1), of(24)}, true), (Dims{kBatch, of(24)}));
  EXPECT_EQ(reshaped(Dims{kBatch, kSteps, of(6)}, {kBatch, kSteps, of(2), of(-1)}, true),
            (Dims{kBatch, kSteps, of(2), of(3)}));
  EXPECT_EQ(reshaped(Dims{kBatch, kSteps}, {of(-1)}, true), (Dims{kOpen})) << "N times T";
  EXPECT_EQ(reshaped(Dims{kOpen, of(6)}, {of(-1), of(6)}, true), (Dims{kOpen, of(6)}));
  EXPECT_EQ(reshaped(std::nullopt, {of(-1), of(6)}, true), (Dims{kOpen, of(6)}));
  EXPECT_EQ(reshaped(Dims{of(0), of(6)}, {of(6), of(0)}, false), (Dims{of(6), of(0)}));
}

TEST(ShapeRules, FlattenedMultipliesAroundAnAxis) {
  EXPECT_EQ(flattened({kBatch, of(3), of(4)}, 1), (Dims{kBatch, of(12)}));
  EXPECT_EQ(flattened({kBatch, of(3)}, 2), (Dims{kOpen, of(1)}));
}

TEST(ShapeRules, ASliceIsCutToTheData) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kBegin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(sliced(of(10), {2, kEnd, 3}), of(3));
  EXPECT_EQ(sliced(of(10), {-3, kEnd, 1}), of(3));
  EXPECT_EQ(sliced(of(10), {kEnd, kBegin, -1}), of(10));
  EXPECT_EQ(sliced(of(10), {0, 3, kBegin}), of(0));
  EXPECT_EQ(sliced(of(10), {5, 2, 1}), of(0));
  EXPECT_EQ(sliced(kBatch, {0, kEnd, 1}), kBatch);
  EXPECT_EQ(sliced(kBatch, {1, kEnd, 1}), kOpen);
  EXPECT_EQ(sliced(of(10), {std::nullopt, kEnd, 1}), kOpen);
}

TEST(ShapeRules, HugeExtentsAreNoLongerCounted) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const std::vector<Dims> parts{{of(kHuge)}, {of(kHuge)}};
  EXPECT_EQ(joined(parts, 0), (Dims{kOpen}));
  EXPECT_EQ(times(of(kHuge), 4), kOpen);
  EXPECT_EQ(widened(of(5), kHuge, kHuge), kOpen);
  EXPECT_EQ(flattened({of(kHuge), of(kHuge)}, 0), (Dims{of(1), kOpen}));
}

}  // namespace
}  // namespace quantlens::shape_rules
