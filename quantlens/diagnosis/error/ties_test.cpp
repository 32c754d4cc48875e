// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/ties.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using testing::ElementsAre;

/// A row whose figure without the blocks swings around `db` by `swing`; rows of one `phase` swing
/// together.
Compared row(double db, double swing, std::size_t phase) {
  Compared one;
  one.row.sqnr_db = one.sqnr_db.whole = db;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    one.sqnr_db.without[b] = db + ((b >> phase & 1) != 0 ? swing : -swing);
  }
  one.sqnr_db.blocks = 0xFFFFFFFF;
  return one;
}

std::vector<std::uint64_t> ranks(const std::vector<Compared>& rows) {
  std::vector<std::uint64_t> ranks;
  ranks.reserve(rows.size());
  for (const Compared& one : rows) ranks.push_back(one.row.rank.value_or(0));
  return ranks;
}

std::vector<bool> tied(const std::vector<Compared>& rows) {
  std::vector<bool> tied;
  tied.reserve(rows.size());
  for (const Compared& one : rows) tied.push_back(one.row.tied_with_previous);
  return tied;
}

// One that swings by 0.1 has a half width of 2.04 sqrt(31) 0.1 = 1.14, two by themselves 1.6.
TEST(Ranks, AreSharedByWhatTheSamplesCannotTellApart) {
  std::vector<Compared> rows{row(10, 0.1, 0), row(11, 0.1, 1), row(20, 0.1, 0), row(30, 0.1, 1)};
  add_ranks(rows);
  EXPECT_THAT(ranks(rows), ElementsAre(1, 1, 3, 4));
  EXPECT_THAT(tied(rows), ElementsAre(false, true, false, false));
}

TEST(Ranks, ArePairedSoThatWhatSwingsTogetherIsToldApart) {
  std::vector<Compared> rows{row(10, 0.1, 0), row(10.2, 0.1, 0)};
  add_ranks(rows);
  EXPECT_THAT(ranks(rows), ElementsAre(1, 2));
  EXPECT_THAT(tied(rows), ElementsAre(false, false));
}

TEST(Ranks, DoNotReachFromTheWorstToTheBestBySmallSteps) {
  std::vector<Compared> rows;
  for (std::size_t i = 0; i < 5; ++i) rows.push_back(row(10.0 + static_cast<double>(i), 0.1, i));
  add_ranks(rows);
  EXPECT_THAT(ranks(rows), ElementsAre(1, 1, 3, 3, 5)) << "each is compared with the first";
  EXPECT_THAT(tied(rows), ElementsAre(false, true, true, true, true));
}

TEST(Ranks, AreAbsentWhereTooFewBlocksHoldSamples) {
  std::vector<Compared> rows{row(10, 0, 0), row(20, 0, 0)};
  for (Compared& one : rows) one.sqnr_db.blocks = 3;
  add_ranks(rows);
  EXPECT_THAT(ranks(rows), ElementsAre(0, 0));
  EXPECT_THAT(tied(rows), ElementsAre(false, false));
}

}  // namespace
}  // namespace quantlens
