// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"

// Only vectors whose width is known when we compile: the number of them that makes eight lanes is a
// constant.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/bin_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

#include "quantlens/stats/bins-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void count_bins_simd(std::span<const float> x, const BinCounters& bins, BinnedChunk& found) {
  plain::count_bins(x, bins, found);
}
void count_bins_and_moments_simd(std::span<const float> x, const BinCounters& bins,
                                 BinnedChunk& found, ChunkMoments& out) {
  plain::count_bins(x, bins, found);
  out = plain::chunk_moments(x);
}

#else

/// REQUIRES: x has whole steps. `bins` is a copy, which no counter can be a part of: its fields
/// then stay in registers.
template <bool kMoments>
HWY_INLINE void count_whole(std::span<const float> x, const BinCounters bins, BinnedChunk& found,
                            MomentSums& sums) {
  auto greatest = hn::Zero(Words());
  Positions positions[2];
  std::size_t turn = 0;
  std::size_t size = 0;
  for (std::size_t at = 0; at < x.size(); at += kBinBlock, turn ^= 1) {
    const std::size_t steps = std::min(kBinBlock, x.size() - at) / kStep;
    Waiting waiting = wait(positions[turn ^ 1], size, steps, bins.counts);
    size = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      const float* values = x.data() + at + step * kStep;
      size += find_step(values, bins, greatest, positions[turn] + size);
      if constexpr (kMoments) add_step(sums, values);
      raise(waiting, bins.counts);
    }
    found.counted += size;
  }
  Waiting waiting = wait(positions[turn ^ 1], size, 1, bins.counts);
  raise(waiting, bins.counts);
  found.complete = hn::GetLane(hn::MaxOfLanes(Words(), greatest)) < bins.limit();
}

void count_bins_simd(std::span<const float> x, const BinCounters& bins, BinnedChunk& found) {
  const std::size_t whole = x.size() - x.size() % kStep;
  MomentSums none;
  count_whole<false>(x.first(whole), bins, found, none);
  plain::count_bins(x.subspan(whole), bins, found);
}

void count_bins_and_moments_simd(std::span<const float> x, const BinCounters& bins,
                                 BinnedChunk& found, ChunkMoments& out) {
  const std::size_t whole = x.size() - x.size() % kStep;
  MomentSums sums;
  clear(sums);
  count_whole<true>(x.first(whole), bins, found, sums);
  plain::count_bins(x.subspan(whole), bins, found);
  plain::MomentLanes lanes = stored(sums);
  lanes.finite = whole;
  plain::add(lanes, x, whole);
  out = plain::finish(lanes);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantlens {

HWY_EXPORT(count_bins_simd);
HWY_EXPORT(count_bins_and_moments_simd);

BinnedChunk count_bins(std::span<const float> x, const BinCounters& bins) {
  BinnedChunk found;
  HWY_DYNAMIC_DISPATCH(count_bins_simd)(x, bins, found);
  return found;
}

ChunkMoments chunk_moments(std::span<const float> x, const BinCounters& bins, BinnedChunk& found) {
  ChunkMoments moments;
  found = {};
  HWY_DYNAMIC_DISPATCH(count_bins_and_moments_simd)(x, bins, found, moments);
  // A NaN or an infinity is in some sum then; finite floats cannot make one that is not finite.
  return std::isfinite(moments.sum_sq) ? moments : chunk_moments(x);
}

}  // namespace quantlens

#endif  // HWY_ONCE
