// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/output_gain.h"

#include <limits>

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
  return gained;
}

}  // namespace quantlens
