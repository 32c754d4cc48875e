// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/output_gain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

/// Sum over the pairs of sum (x-y)^2 / sum x^2, without a block.
double relative_error(const TapState& state, std::size_t without) {
  double sum = 0;
  for (const PairedStats& pair : state.pairs) {
    double error = 0;
    double energy = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      if (b == without) continue;
      error += pair.pairs.blocks()[b].ee.value();
      energy += pair.pairs.blocks()[b].xx.value();
    }
    if (energy > 0) sum += error / energy;
  }
  return sum;
}

double gain(const TapState& before, const TapState& after, std::size_t without) {
  const double error = relative_error(before, without);
  return error > 0 ? 1 - relative_error(after, without) / error : 0;
}

/// Sum over the pairs of what one block makes of sum (x-y)^2 / sum x^2.
double error_of_block(const TapState& state, std::size_t block) {
  double sum = 0;
  for (const PairedStats& pair : state.pairs) {
    double energy = 0;
    for (const auto& one : pair.pairs.blocks()) energy += one.xx.value();
    if (energy > 0) sum += pair.pairs.blocks()[block].ee.value() / energy;
  }
  return sum;
}

double spread(const TapState& before, const TapState& after, double share) {
  double squares = 0;
  double errors = 0;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const double error = error_of_block(before, block);
    if (error <= 0) continue;
    const double off = error - error_of_block(after, block) - share * error;
    squares += off * off / error;
    errors += error;
  }
  return errors > 0 ? std::sqrt(squares / errors) : 0;
}

}  // namespace

bool has_output_error(const TapState& state) {
  return relative_error(state, kNoBlock) > 0;
}

Gain output_gain(const TapState& before, const TapState& after) {
  SampleBlocks blocks;
  blocks.count(before.samples);
  Gain gained{.share = gain(before, after, kNoBlock), .interval = {}, .without = {}};
  gained.without =
      blocks.without_each([&](std::size_t block) { return gain(before, after, block); });
  gained.interval = jackknife_interval(gained.share, gained.without,
                                       {-std::numeric_limits<double>::infinity(), 1});
  gained.spread = spread(before, after, gained.share);
  gained.samples = before.samples;
  return gained;
}

void widen_for_others(std::span<const double> lumps, Gain& gain) {
  constexpr double kNearly = 2;  // standard deviations hold 95 %
  const double size = std::sqrt(std::inner_product(lumps.begin(), lumps.end(), lumps.begin(), 0.0));
  const double others = kNearly * gain.spread * size;
  const auto [low, high] = gain.interval;
  gain.interval = {gain.share - std::hypot(gain.share - low, others),
                   std::min(1.0, gain.share + std::hypot(high - gain.share, others))};
}

}  // namespace quantlens
