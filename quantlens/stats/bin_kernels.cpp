// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"

// Only vectors whose width is known when we compile: the number of them that makes eight lanes is a
// constant.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/bin_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

#include "quantlens/stats/lanes-inl.h"

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

using Words = hn::RebindToUnsigned<Floats>;

/// The positions of a block's values, found by vectors. They are counted, one by one, while those
/// of the next block are found: the two keep different parts of a core busy.
struct Positions {
  static constexpr std::size_t kBlock = 256;
  std::size_t size = 0;
  std::uint32_t at[kBlock + kFloats];  // a vector is stored whole, whatever of it counts
};

/// Finds the positions of kStep values.
HWY_INLINE hn::Vec<Words> find_step(const float* x, const BinCounters& bins,
                                    hn::Vec<Words> greatest, Positions& found) {
  const Words d;
  const hn::RebindToSigned<Words> ints;
  const auto least_normal = hn::Set(d, plain::kLeastNormal);
  const auto width = hn::Set(d, bins.limit() - plain::kLeastNormal);
  const auto fine_offset = hn::Set(ints, bins.layout.fine_offset());
  const auto side = hn::Set(ints, bins.layout.side());
  for (std::size_t i = 0; i < kStep; i += kFloats) {
    const auto bits = hn::BitCast(d, hn::LoadU(Floats(), x + i));
    const auto magnitude = hn::And(bits, hn::Set(d, bins.seen()));
    const auto counts = hn::Lt(hn::Sub(magnitude, least_normal), width);
    const auto coarse = hn::BitCast(ints, hn::ShiftRight<20>(magnitude));
    const auto fine = hn::Sub(hn::BitCast(ints, hn::ShiftRight<15>(magnitude)), fine_offset);
    const auto negative = hn::And(hn::ShiftRight<31>(hn::BitCast(ints, bits)), side);
    const auto position = hn::Add(hn::Max(coarse, fine), negative);
    hn::StoreU(hn::Compress(hn::BitCast(d, position), counts), d, found.at + found.size);
    found.size += hn::CountTrue(d, counts);
    greatest = hn::Max(greatest, magnitude);
  }
  return greatest;
}

/// REQUIRES: `count` is even.
HWY_INLINE void raise(const std::uint32_t* positions, std::size_t count, std::uint32_t* counts) {
  for (std::size_t i = 0; i < count; i += 2) {
    std::uint64_t two;  // one load, not two
    std::memcpy(&two, positions + i, sizeof two);
    ++counts[static_cast<std::uint32_t>(two)];
    ++counts[two >> 32];
  }
}

/// REQUIRES: x has whole steps.
template <bool kMoments>
HWY_INLINE void count_whole(std::span<const float> x, const BinCounters& bins, BinnedChunk& found,
                            MomentSums& sums) {
  auto greatest = hn::Zero(Words());
  std::array<Positions, 2> blocks;
  blocks[1].size = 0;
  std::size_t turn = 0;
  for (std::size_t at = 0; at < x.size(); at += Positions::kBlock, turn ^= 1) {
    Positions& next = blocks[turn];
    const Positions& last = blocks[turn ^ 1];
    const std::size_t steps = std::min(Positions::kBlock, x.size() - at) / kStep;
    const std::size_t share = last.size / steps & ~std::size_t{1};
    next.size = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      const float* values = x.data() + at + step * kStep;
      greatest = find_step(values, bins, greatest, next);
      if constexpr (kMoments) add_step(sums, values);
      raise(last.at + step * share, share, bins.counts);
    }
    for (std::size_t i = steps * share; i < last.size; ++i) ++bins.counts[last.at[i]];
    found.counted += next.size;
  }
  const Positions& last = blocks[turn ^ 1];
  for (std::size_t i = 0; i < last.size; ++i) ++bins.counts[last.at[i]];
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
