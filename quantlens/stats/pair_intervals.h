// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "quantlens/stats/pair_stats.h"

namespace quantlens {

/// 95 %, over the blocks of samples.
using Interval = std::array<double, 2>;

/// A figure of all samples, and of all but each block.
struct BlockFigure {
  double whole = 0;
  std::array<double, kBlocks> without{};  ///< of a block that holds no finite pair: `whole`
  std::uint32_t blocks = 0;               ///< bit b: block b holds finite pairs
  bool operator==(const BlockFigure&) const = default;
};

/// Whether so many blocks hold finite pairs that an interval can be told.
bool has_enough_blocks(std::uint32_t blocks);

/// The figure without each of the blocks that hold finite pairs; nothing where no interval can be
/// told of them: they are too few, or one of the figures is not finite.
std::optional<std::vector<double>> finite_without(const BlockFigure& figure);

/// Whether the samples cannot tell which of two figures is greater: the jackknife's interval of
/// their difference, both without the same block at a time, holds 0. Equal infinities are tied; one
/// infinity is apart from what is finite if no block makes it so alone.
bool is_tied(const BlockFigure& a, const BlockFigure& b);

/// The figures of a pair that have intervals, in one pass over its blocks. An interval is absent
/// where fewer than three blocks hold finite pairs; where the figure is at an end of its scale (no
/// error, nothing clipped), as samples that agree on that do not tell how often others would not;
/// and where leaving out one block brings it there.
class PairIntervals {
 public:
  explicit PairIntervals(const PairStats& stats);

  const PairSums& sums() const { return whole_; }  ///< of all blocks
  BlockFigure sqnr_db() const;
  std::optional<Interval> mse_interval() const;      ///< on the scale of its logarithm
  std::optional<Interval> sqnr_db_interval() const;  ///< in dB
  std::optional<Interval> cosine_interval() const;   ///< on the scale of Fisher's z
  std::optional<Interval> clip_rate_interval() const;

 private:
  template <class Figure>
  BlockFigure figure(Figure&& of) const;

  PairSums whole_;
  std::array<PairSums, kBlocks> without_;
  std::uint32_t blocks_ = 0;
};

}  // namespace quantlens
