// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/sqnr_difference.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

constexpr double kInfinityDb = std::numeric_limits<double>::infinity();

/// A figure that is a mean over the blocks, so that its jackknife is that of a mean.
BlockFigure mean_of(const std::array<double, kBlocks>& blocks) {
  double sum = 0;
  for (const double one : blocks) sum += one;
  BlockFigure figure{.whole = sum / kBlocks, .without = {}, .blocks = ~0U};
  for (std::size_t b = 0; b < kBlocks; ++b) figure.without[b] = (sum - blocks[b]) / (kBlocks - 1);
  return figure;
}

std::array<double, kBlocks> noise(std::mt19937& random, double mean) {
  std::normal_distribution<double> normal(mean, 1);
  std::array<double, kBlocks> blocks{};
  for (double& one : blocks) one = normal(random);
  return blocks;
}

BlockFigure always(double value) {
  BlockFigure figure{.whole = value, .without = {}, .blocks = ~0U};
  figure.without.fill(value);
  return figure;
}

TEST(SqnrDifference, OfAFigureWithItselfIsNothingAndNoChance) {
  std::mt19937 random(1);
  const BlockFigure figure = mean_of(noise(random, 30));
  const SqnrDifference difference = sqnr_difference(figure, figure, true);
  EXPECT_EQ(difference.db, 0);
  EXPECT_EQ(difference.chance, 1);
  EXPECT_EQ(verdicts(std::array{difference}).front(), ComparisonVerdict::equal);
}

TEST(SqnrDifference, IsNarrowerWherePairedFiguresVaryTogether) {
  std::mt19937 random(2);
  const std::array<double, kBlocks> blocks = noise(random, 30);
  std::array<double, kBlocks> better = blocks;
  for (double& one : better) one += 0.3;
  const auto paired = sqnr_difference(mean_of(blocks), mean_of(better), true);
  const auto apart = sqnr_difference(mean_of(blocks), mean_of(better), false);
  ASSERT_TRUE(paired.interval && apart.interval);
  EXPECT_TRUE(paired.paired);
  EXPECT_FALSE(apart.paired);
  EXPECT_LT((*paired.interval)[1] - (*paired.interval)[0], 1e-9);
  EXPECT_GT((*apart.interval)[1] - (*apart.interval)[0], 0.5);
  EXPECT_EQ(verdicts(std::array{paired}).front(), ComparisonVerdict::better);
  EXPECT_EQ(verdicts(std::array{apart}).front(), ComparisonVerdict::undecided);
}

TEST(SqnrDifference, HoldsTheTruthInNinetyFivePercentOfCases) {
  std::mt19937 random(3);
  int held = 0;
  constexpr int kTrials = 2000;
  for (int i = 0; i < kTrials; ++i) {
    const auto difference =
        sqnr_difference(mean_of(noise(random, 30)), mean_of(noise(random, 31)), false);
    held += (*difference.interval)[0] <= 1 && (*difference.interval)[1] >= 1 ? 1 : 0;
  }
  // 95 % +- 4 standard deviations of 2000 trials.
  EXPECT_NEAR(held, 0.95 * kTrials, 4 * std::sqrt(0.95 * 0.05 * kTrials));
}

TEST(SqnrDifference, NeedsThreeBlocks) {
  BlockFigure a = always(20), b = always(30);
  a.blocks = b.blocks = 3;
  const SqnrDifference difference = sqnr_difference(a, b, true);
  EXPECT_FALSE(difference.interval);
  EXPECT_FALSE(difference.chance);
  EXPECT_EQ(verdicts(std::array{difference}).front(), ComparisonVerdict::undecided);
}

TEST(SqnrDifference, TellsInfinitiesThatNoBlockMakesAlone) {
  const auto told = [](const BlockFigure& a, const BlockFigure& b) {
    return verdicts(std::array{sqnr_difference(a, b, true)}).front();
  };
  EXPECT_EQ(told(always(kInfinityDb), always(kInfinityDb)), ComparisonVerdict::equal);
  EXPECT_EQ(told(always(20), always(kInfinityDb)), ComparisonVerdict::better);
  EXPECT_EQ(told(always(20), always(-kInfinityDb)), ComparisonVerdict::worse);
  EXPECT_EQ(told(always(20), always(std::nan(""))), ComparisonVerdict::unknown);
  BlockFigure one_block_makes_it = always(-kInfinityDb);
  one_block_makes_it.without[7] = 20;
  EXPECT_EQ(told(always(20), one_block_makes_it), ComparisonVerdict::undecided);
}

TEST(Verdicts, OfAThousandOpsWithoutAnyDifferenceTellNoneInNinetyFivePercentOfCases) {
  std::mt19937 random(4);
  int falsely = 0;
  constexpr int kRuns = 100;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<SqnrDifference> differences;
    for (int op = 0; op < 1000; ++op)
      differences.push_back(
          sqnr_difference(mean_of(noise(random, 30)), mean_of(noise(random, 30)), false));
    for (const ComparisonVerdict verdict : verdicts(differences)) {
      if (verdict != ComparisonVerdict::worse && verdict != ComparisonVerdict::better) continue;
      ++falsely;
      break;
    }
  }
  // 5 % of the runs, and 4 standard deviations.
  EXPECT_LE(falsely, 0.05 * kRuns + 4 * std::sqrt(0.05 * 0.95 * kRuns));
}

TEST(Verdicts, StillTellWhatIsDifferentAmongManyThatAreNot) {
  std::mt19937 random(5);
  std::vector<SqnrDifference> differences;
  for (int op = 0; op < 1000; ++op) {
    const double mean = op < 50 ? 33 : 30;
    differences.push_back(
        sqnr_difference(mean_of(noise(random, 30)), mean_of(noise(random, mean)), false));
  }
  const std::vector<ComparisonVerdict> all = verdicts(differences);
  EXPECT_EQ(std::count(all.begin(), all.begin() + 50, ComparisonVerdict::better), 50);
}

TEST(Verdicts, CallNoDifferenceBelowATenthOfADecibelMaterial) {
  std::mt19937 random(6);
  const std::array<double, kBlocks> blocks = noise(random, 30);
  std::array<double, kBlocks> better = blocks;
  for (double& one : better) one += 0.05;
  const auto difference = sqnr_difference(mean_of(blocks), mean_of(better), true);
  EXPECT_EQ(verdicts(std::array{difference}).front(), ComparisonVerdict::equal);
}

}  // namespace
}  // namespace quantlens
