// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/embedding_pairs.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

const MetricSpec kSpec = parse_metric("spearman_cosine:output=e");

struct Vector {
  std::uint64_t sample;
  float label;
  std::vector<float> embedding;
};

Batch pairs_batch(const std::vector<Vector>& rows) {
  Batch batch;
  for (const Vector& row : rows) {
    batch.samples.push_back(row.sample);
    batch.labels.emplace_back(Tensor::scalar<float>(row.label));
  }
  return batch;
}

TensorMap outputs_of(const std::vector<Vector>& rows) {
  std::vector<float> all;
  for (const Vector& row : rows) all.insert(all.end(), row.embedding.begin(), row.embedding.end());
  return {{"e", Tensor::from<float>({static_cast<std::int64_t>(rows.size()), 2}, std::move(all))}};
}

std::vector<EmbeddingPairs::Pair> pairs_of(const std::vector<std::vector<Vector>>& batches) {
  EmbeddingPairs pairs(kSpec);
  for (const std::vector<Vector>& rows : batches) pairs.add(pairs_batch(rows), outputs_of(rows));
  return pairs.pairs();
}

/// A pair at this angle.
std::vector<Vector> at_angle(std::uint64_t pair, double radians, float label) {
  return {{2 * pair, label, {3, 0}},
          {2 * pair + 1,
           label,
           {static_cast<float>(std::cos(radians)), static_cast<float>(std::sin(radians))}}};
}

TEST(EmbeddingPairs, AreRows2iAnd2iPlus1AlsoAcrossBatches) {
  const auto pairs = pairs_of(
      {{{0, 1, {1, 0}}, {1, 1, {0, 2}}, {2, 5, {1, 1}}}, {{3, 5, {-4, -4}}, {4, 2, {1, 0}}}});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].cosine, 0);
  EXPECT_EQ(pairs[0].score, 1);
  EXPECT_NEAR(pairs[1].cosine, -1, 1e-15);
  EXPECT_EQ(pairs[1].index, 1u);
}

TEST(EmbeddingPairs, LeaveOutARowWhosePartnerIsMissing) {
  const auto pairs = pairs_of({{{0, 1, {1, 0}}, {3, 5, {1, 1}}, {5, 2, {1, 0}}},
                               {{6, 3, {1, 0}}, {8, 3, {1, 0}}, {9, 3, {1, 0}}}});
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].index, 4u);
}

TEST(EmbeddingPairs, OfNothingOrOfNoNumberHaveNoCosine) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto pairs = pairs_of({{{0, 1, {0, 0}}, {1, 1, {0, 2}}},
                               {{2, 1, {nan, 0}}, {3, 1, {0, 2}}},
                               {{4, 1, {inf, 0}}, {5, 1, {1, 2}}}});
  ASSERT_EQ(pairs.size(), 3u);
  for (const EmbeddingPairs::Pair& pair : pairs) EXPECT_EQ(pair.cosine, 0);
}

TEST(EmbeddingPairs, OfTheLargestFloatsHaveACosine) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_NEAR(pairs_of({{{0, 1, {most, most}}, {1, 1, {most, 0}}}})[0].cosine, std::sqrt(0.5),
              1e-12);
}

TEST(EmbeddingPairs, RefuseLabelsThatAreNoScores) {
  EXPECT_THROW(pairs_of({{{0, 1, {1, 0}}, {1, 2, {0, 2}}}}), Error);
  EXPECT_THROW(pairs_of({{{0, std::numeric_limits<float>::quiet_NaN(), {1, 0}}}}), Error);
  EmbeddingPairs pairs(kSpec);
  Batch batch = pairs_batch({{0, 1, {1, 0}}});
  batch.labels[0].reset();
  EXPECT_THROW(pairs.add(batch, outputs_of({{0, 1, {1, 0}}})), Error);
  batch.labels[0] = Tensor::from<float>({2}, {1, 2});
  EXPECT_THROW(pairs.add(batch, outputs_of({{0, 1, {1, 0}}})), Error);
}

TEST(EmbeddingPairs, RefuseAnOutputThatIsNotThere) {
  EmbeddingPairs pairs(parse_metric("spearman_cosine:output=f"));
  const std::vector<Vector> rows = at_angle(0, 1, 1);
  EXPECT_THROW(pairs.add(pairs_batch(rows), outputs_of(rows)), Error);
}

TEST(SpearmanCosine, OfOneModelAndOfTwo) {
  AccuracySink alone(kSpec);
  AccuracyPairSink paired(kSpec, {});
  constexpr int kPairs = 40;
  for (int i = 0; i < kPairs; ++i) {
    // The greater the angle the less alike; the second model swaps neighbours, all but at the end.
    const auto reference =
        at_angle(static_cast<std::uint64_t>(i), 0.07 * i, -static_cast<float>(i));
    const int other = i < kPairs - 4 ? i ^ 1 : i;
    const auto quantized =
        at_angle(static_cast<std::uint64_t>(i), 0.07 * other, -static_cast<float>(i));
    const Batch batch = pairs_batch(reference);
    alone.add(batch, {.reference = outputs_of(reference), .quantized = {}});
    paired.add(batch, {.reference = outputs_of(reference), .quantized = outputs_of(quantized)});
  }
  const Accuracy one = alone.result();
  EXPECT_FALSE(one.is_rate);
  EXPECT_NEAR(one.value, 1, 1e-12);
  EXPECT_EQ(one.samples, 80u);
  const AccuracyRecord two = paired.result();
  // Swapped neighbours: each of 36 pairs is off by one rank: 1 - 6 * 36 / (n (n^2 - 1)).
  const double wanted = 1 - 6.0 * 36 / (40.0 * (1600 - 1));
  EXPECT_NEAR(two.quantized.value, wanted, 1e-12);
  EXPECT_NEAR(two.difference.value(), wanted - 1, 1e-12);
  EXPECT_NEAR(two.ratio.value(), wanted - 1, 1e-12);
  const auto [low, high] = two.difference_interval.value();
  EXPECT_LT(low, two.difference);
  EXPECT_GT(high, two.difference);
  EXPECT_LT(high, 0);
  EXPECT_EQ(two.lost + two.gained, 0u);
}

TEST(SpearmanCosine, OfEqualRanksMayDifferByWhatThreeSamplesMake) {
  AccuracyPairSink sink(kSpec, {});
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto step = static_cast<double>(i);
    const auto reference = at_angle(i, 0.07 * step, -static_cast<float>(i));
    const auto quantized = at_angle(i, 0.08 * step, -static_cast<float>(i));  // of other numbers
    sink.add(pairs_batch(reference),
             {.reference = outputs_of(reference), .quantized = outputs_of(quantized)});
  }
  const AccuracyRecord pair = sink.result();
  EXPECT_EQ(pair.difference, 0);
  const auto [low, high] = pair.difference_interval.value();
  EXPECT_NEAR(low, -0.3, 1e-12);  // 3 of 20 samples, of a width of 2
  EXPECT_NEAR(high, 0.3, 1e-12);
}

TEST(SpearmanCosine, OfNoPairsKnowsNothing) {
  const Accuracy accuracy = AccuracySink(kSpec).result();
  EXPECT_EQ(accuracy.samples, 0u);
  EXPECT_EQ(accuracy.value, 0);
  EXPECT_EQ(accuracy.interval, (std::array<double, 2>{-1, 1}));
}

}  // namespace
}  // namespace quantlens
