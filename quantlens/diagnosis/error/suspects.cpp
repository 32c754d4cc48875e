// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/suspects.h"

#include <algorithm>
#include <cmath>

#include "quantlens/diagnosis/view/gathered.h"

namespace quantlens {
namespace {

constexpr std::uint64_t kFewestPairs = 8;

/// n^2 times the variance; 0 where it is no more than rounding.
double spread(double n, double sum, double squares) {
  constexpr double kRounding = 1e-11;
  const double variance = n * squares - sum * sum;
  return variance <= kRounding * n * squares ? 0 : variance;
}

}  // namespace

std::optional<double> correlation(const PairStats& stats, std::uint64_t sample) {
  const PairStats::Block& block = stats.blocks()[block_of(sample)];
  if (block.finite < kFewestPairs) return std::nullopt;
  const auto n = static_cast<double>(block.finite);
  const double x = block.x.value(), y = block.y.value();
  const double xx = block.xx.value(), yy = block.yy.value();
  const double of_x = spread(n, x, xx), of_y = spread(n, y, yy);
  if (of_x == 0 && of_y == 0) return 1;
  if (of_x == 0 || of_y == 0) return 0;
  const double xy = (xx + yy - block.ee.value()) / 2;
  return std::clamp((n * xy - x * y) / std::sqrt(of_x * of_y), -1.0, 1.0);
}

bool needs_proof(const ValuePair& pair) {
  return !pair.confirmed && pair.found_by != FoundBy::metadata;
}

void find_suspects(const TapState& state, std::uint64_t sample, Pairing& pairing) {
  pairing.suspects.clear();
  for (const ValuePair& pair : pairing.pairs) {
    if (!needs_proof(pair)) continue;
    const ValuePair& source = pair.same_as ? pairing.pairs.at(*pair.same_as) : pair;
    const PairedStats* stats = gathered_of(state, source.reference, source.quantized);
    if (stats == nullptr) continue;
    const std::optional<double> measured = correlation(stats->pairs, sample);
    if (!measured || *measured >= kLeastCorrelation) continue;
    pairing.suspects.push_back({.value = pair.reference,
                                .quantized = pair.quantized,
                                .op = pair.op,
                                .found_by = pair.found_by,
                                .correlation = *measured});
  }
}

}  // namespace quantlens
