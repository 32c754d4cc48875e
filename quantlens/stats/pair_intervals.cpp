// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/pair_intervals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr int kLeastBlocks = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PairSums plus(const PairSums& a, const PairSums& b) {
  return {.finite = a.finite + b.finite,
          .nonfinite = a.nonfinite + b.nonfinite,
          .clipped = a.clipped + b.clipped,
          .xx = a.xx + b.xx,
          .yy = a.yy + b.yy,
          .ee = a.ee + b.ee};
}

PairSums sums_of(const PairStats::Block& block) {
  return {.finite = block.finite,
          .nonfinite = block.nonfinite,
          .clipped = block.clipped,
          .xx = block.xx.value(),
          .yy = block.yy.value(),
          .ee = block.ee.value()};
}

/// The values without each of the blocks.
std::vector<double> chosen(const std::array<double, kBlocks>& without, std::uint32_t blocks) {
  std::vector<double> values;
  values.reserve(kBlocks);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if ((blocks >> b & 1) != 0) values.push_back(without[b]);
  }
  return values;
}

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::optional<Interval> interval_of(const BlockFigure& figure) {
  if (!std::isfinite(figure.whole)) return std::nullopt;
  const std::optional<std::vector<double>> without = finite_without(figure);
  if (!without) return std::nullopt;
  return jackknife_interval(figure.whole, *without, {-kInfinity, kInfinity});
}

/// The interval on another scale, which holds the figure in spite of rounding.
template <class Scale>
std::optional<Interval> mapped(const std::optional<Interval>& interval, double figure,
                               Scale&& scale) {
  if (!interval) return std::nullopt;
  return Interval{std::min(scale((*interval)[0]), figure), std::max(scale((*interval)[1]), figure)};
}

}  // namespace

bool has_enough_blocks(std::uint32_t blocks) {
  return std::popcount(blocks) >= kLeastBlocks;
}

std::optional<std::vector<double>> finite_without(const BlockFigure& figure) {
  if (!has_enough_blocks(figure.blocks)) return std::nullopt;
  std::vector<double> without = chosen(figure.without, figure.blocks);
  if (!all_finite(without)) return std::nullopt;
  return without;
}

bool is_tied(const BlockFigure& a, const BlockFigure& b) {
  if (a.whole == b.whole) return true;
  BlockFigure difference{.whole = a.whole - b.whole, .without = {}, .blocks = a.blocks | b.blocks};
  for (std::size_t i = 0; i < kBlocks; ++i) difference.without[i] = a.without[i] - b.without[i];
  const std::vector<double> without = chosen(difference.without, difference.blocks);
  if (std::isinf(difference.whole)) {
    return !has_enough_blocks(difference.blocks) ||
           std::ranges::any_of(without, [&](double one) { return one != difference.whole; });
  }
  return !all_finite(without) || is_within_chance(difference.whole, without);
}

// What is left without a block is what stands before it and what stands behind: a difference to
// the whole would lose the digits where one block has nearly all.
PairIntervals::PairIntervals(const PairStats& stats) : whole_(stats.sums()) {
  std::array<PairSums, kBlocks> sums;
  std::array<PairSums, kBlocks + 1> behind;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (stats.blocks()[b].finite == 0) continue;
    sums[b] = sums_of(stats.blocks()[b]);
    blocks_ |= 1u << b;
  }
  for (std::size_t b = kBlocks; b-- > 0;) behind[b] = plus(sums[b], behind[b + 1]);
  PairSums before;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    without_[b] = plus(before, behind[b + 1]);
    before = plus(before, sums[b]);
  }
}

template <class Figure>
BlockFigure PairIntervals::figure(Figure&& of) const {
  BlockFigure figure{.whole = of(whole_), .without = {}, .blocks = blocks_};
  for (std::size_t b = 0; b < kBlocks; ++b) {
    figure.without[b] = (blocks_ >> b & 1) != 0 ? of(without_[b]) : figure.whole;
  }
  return figure;
}

BlockFigure PairIntervals::sqnr_db() const {
  return figure([](const PairSums& sums) { return sums.sqnr_db(); });
}

std::optional<Interval> PairIntervals::mse_interval() const {
  const auto logarithm = [](const PairSums& sums) { return std::log(sums.mse()); };
  return mapped(interval_of(figure(logarithm)), whole_.mse(),
                [](double value) { return std::exp(value); });
}

std::optional<Interval> PairIntervals::sqnr_db_interval() const {
  return interval_of(sqnr_db());
}

std::optional<Interval> PairIntervals::cosine_interval() const {
  const auto z = [](const PairSums& sums) { return sums.fisher_z(); };
  return mapped(interval_of(figure(z)), whole_.cosine(),
                [](double value) { return std::tanh(value); });
}

std::optional<Interval> PairIntervals::clip_rate_interval() const {
  const double rate = whole_.clip_rate();
  if (!has_enough_blocks(blocks_) || rate == 0 || rate == 1) return std::nullopt;
  const auto clip_rate = [](const PairSums& sums) { return sums.clip_rate(); };
  return grouped_rate_interval(rate, chosen(figure(clip_rate).without, blocks_));
}

}  // namespace quantlens
