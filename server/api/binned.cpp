// SPDX-License-Identifier: Apache-2.0
#include "server/api/binned.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace quantlens::server {
namespace {

constexpr int kLeastSigned = -128;
constexpr double kHalf = 0.5;

std::uint64_t total_of(std::span<const Stretch> stretches) {
  std::uint64_t total = 0;
  for (const Stretch& one : stretches) total += one.count;
  return total;
}

/// How many lie below `value`: `before` of whole stretches, and a part of this one.
double below(const Stretch& one, std::uint64_t before, double value) {
  const double part = (value - one.low) / (one.high - one.low);
  return static_cast<double>(before) + static_cast<double>(one.count) * std::clamp(part, 0.0, 1.0);
}

}  // namespace

std::vector<Stretch> stretches_of(const CodeHistogram& codes, const QParams& params,
                                  bool is_signed) {
  std::vector<Stretch> stretches;
  const double scale = params.scale;
  const double half = std::abs(scale) * kHalf;
  if (!(half > 0) || !std::isfinite(half)) return stretches;  // another tool wrote it
  const int least = is_signed ? kLeastSigned : 0;
  for (std::size_t i = 0; i < codes.counts.size(); ++i) {
    if (codes.counts[i] == 0) continue;
    const double value = scale * (static_cast<double>(i) + least - params.zero_point);
    stretches.push_back({value - half, value + half, codes.counts[i]});
  }
  if (scale < 0) std::ranges::reverse(stretches);  // the greatest code means the least value
  return stretches;
}

std::optional<Extent> extent_of(std::span<const Stretch> one, std::span<const Stretch> other) {
  Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const std::span<const Stretch> side : {one, other}) {
    if (side.empty()) continue;
    extent.low = std::min(extent.low, side.front().low);
    extent.high = std::max(extent.high, side.back().high);
  }
  return extent.low <= extent.high ? std::optional(extent) : std::nullopt;
}

std::vector<double> edges_of(Extent extent, std::uint64_t bins) {
  if (!(extent.high > extent.low)) extent.high = extent.low + 1;
  std::vector<double> edges;
  for (std::uint64_t i = 0; i <= bins; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(bins);
    edges.push_back(extent.low * (1 - part) + extent.high * part);
  }
  edges.back() = extent.high;
  return edges;
}

std::vector<std::uint64_t> counts_between(std::span<const Stretch> stretches,
                                          std::span<const double> edges) {
  std::vector<std::uint64_t> counts;
  std::uint64_t before = 0, told = 0;
  auto at = stretches.begin();
  for (std::size_t i = 1; i < edges.size(); ++i) {
    while (at != stretches.end() && at->high <= edges[i]) before += (at++)->count;
    // Rounding what lies below each edge, not each bin, keeps the sum.
    const bool is_last = i + 1 == edges.size();
    std::uint64_t upto = before;
    if (is_last)
      upto = total_of(stretches);
    else if (at != stretches.end())
      upto = static_cast<std::uint64_t>(std::llround(below(*at, before, edges[i])));
    upto = std::max(upto, told);
    counts.push_back(upto - told);
    told = upto;
  }
  return counts;
}

std::vector<double> spread_values(std::span<const Stretch> stretches, std::uint64_t count) {
  std::vector<double> values;
  const std::uint64_t total = total_of(stretches);
  if (total == 0) return values;
  count = std::min(count, total);
  std::uint64_t before = 0;
  auto at = stretches.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    const double rank =
        (static_cast<double>(i) + kHalf) * static_cast<double>(total) / static_cast<double>(count);
    while (at + 1 != stretches.end() && static_cast<double>(before + at->count) <= rank)
      before += (at++)->count;
    const double part = (rank - static_cast<double>(before)) /
                        static_cast<double>(std::max<std::uint64_t>(at->count, 1));
    values.push_back(at->low + (at->high - at->low) * std::clamp(part, 0.0, 1.0));
  }
  return values;
}

}  // namespace quantlens::server
