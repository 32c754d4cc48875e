// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"

// Only vectors whose width is known when we compile: the number of them that makes eight lanes is a
// constant.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/pair_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

#include "quantlens/stats/bins-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void pairs_float_simd(std::span<const float> x, std::span<const float> y, ClipRange clip,
                      ChunkPairs& out) {
  out = plain::chunk_pairs<float>({x, y, {}, clip});
}
void pairs_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = plain::chunk_pairs<std::uint8_t>({x, y, how, clip});
}
void pairs_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = plain::chunk_pairs<std::int8_t>({x, y, how, clip});
}
void counted_u8_simd(const plain::PairSpan<std::uint8_t>& pairs, PairCounters& counters,
                     ChunkPairs& out) {
  plain::count_pairs(pairs, counters);
  out = plain::chunk_pairs(pairs);
}
void counted_i8_simd(const plain::PairSpan<std::int8_t>& pairs, PairCounters& counters,
                     ChunkPairs& out) {
  plain::count_pairs(pairs, counters);
  out = plain::chunk_pairs(pairs);
}
void errors_float_simd(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  plain::pair_errors(x, y, {}, out);
}
void errors_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                    std::span<float> out) {
  plain::pair_errors(x, y, how, out);
}
void errors_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                    std::span<float> out) {
  plain::pair_errors(x, y, how, out);
}

#else

HWY_INLINE FloatVec load_real(const float* y, Dequantize8) {
  return hn::LoadU(Floats(), y);
}

template <class Code>
HWY_INLINE FloatVec load_real(const Code* y, Dequantize8 how) {
  const Floats d;
  const hn::RebindToSigned<Floats> ints;
  const auto codes = hn::PromoteTo(ints, hn::LoadU(hn::Rebind<Code, Floats>(), y));
  const auto steps = hn::Sub(codes, hn::Set(ints, how.zero_point));
  return hn::Mul(hn::ConvertTo(d, steps), hn::Set(d, how.scale));
}

template <class Y>
HWY_INLINE plain::PairSpan<Y> part(const plain::PairSpan<Y>& pairs, std::size_t first,
                                   std::size_t count) {
  return {pairs.x.subspan(first, count), pairs.y.subspan(first, count), pairs.how, pairs.clip};
}

struct PairSums {
  Sum x, xx, y, yy, ee;
  Extremes extremes_x, extremes_y;
  FloatVec max_abs_error;
  std::uint64_t finite;
};

HWY_INLINE void clear(PairSums& sums) {
  clear(sums.x);
  clear(sums.xx);
  clear(sums.y);
  clear(sums.yy);
  clear(sums.ee);
  clear(sums.extremes_x);
  clear(sums.extremes_y);
  sums.max_abs_error = hn::Zero(Floats());
  sums.finite = 0;
}

/// A block of pairs in float32: the float work of a block is done first and its results are stored,
/// since sums like to load theirs (`load_doubles`).
struct PairBlock {
  static constexpr std::size_t kSize = 512;
  static_assert(kSize >= kBinBlock);
  HWY_ALIGN float x[kSize];  // used where some are left out, and then 0
  HWY_ALIGN float y[kSize];
  HWY_ALIGN float error[kSize];
};

/// Extremes of a block's pairs, and what there is to sum, in `block`.
template <bool kMasked, class Y>
HWY_INLINE void prepare(PairSums& sums, const plain::PairSpan<Y>& pairs, PairBlock& block) {
  const Floats d;
  for (std::size_t i = 0; i < pairs.x.size(); i += kFloats) {
    FloatVec vx = hn::LoadU(d, pairs.x.data() + i);
    FloatVec vy = load_real(pairs.y.data() + i, pairs.how);
    FloatVec error = hn::Sub(vx, vy);
    if constexpr (kMasked) {
      const auto finite = hn::IsFinite(error);
      widen_where(finite, sums.extremes_x, vx);
      widen_where(finite, sums.extremes_y, vy);
      sums.finite += count_true(finite);
      vx = hn::IfThenElseZero(finite, vx);
      vy = hn::IfThenElseZero(finite, vy);
      error = hn::IfThenElseZero(finite, error);
      hn::Store(vx, d, block.x + i);
    } else {
      widen(sums.extremes_x, vx);
      widen(sums.extremes_y, vy);
    }
    sums.max_abs_error = hn::Max(sums.max_abs_error, hn::Abs(error));
    hn::Store(vy, d, block.y + i);
    hn::Store(error, d, block.error + i);
  }
}

template <bool kMasked, class Y>
HWY_INLINE plain::PairLanes stored(const PairSums& sums, const plain::PairSpan<Y>& pairs) {
  plain::PairLanes lanes;
  store(sums.x, lanes.x);
  store(sums.xx, lanes.xx);
  store(sums.y, lanes.y);
  store(sums.yy, lanes.yy);
  store(sums.ee, lanes.ee);
  lanes.min_x = least(sums.extremes_x);
  lanes.max_x = greatest(sums.extremes_x);
  lanes.min_y = least(sums.extremes_y);
  lanes.max_y = greatest(sums.extremes_y);
  lanes.max_abs_error = hn::GetLane(hn::MaxOfLanes(Floats(), sums.max_abs_error));
  lanes.finite = kMasked ? sums.finite : pairs.x.size();
  lanes.nonfinite = pairs.x.size() - lanes.finite;
  return lanes;
}

/// Adds the eight pairs from i on.
HWY_INLINE void add_eight_pairs(PairSums& sums, const float* x, const PairBlock& block,
                                std::size_t i) {
  add_eight(sums.x, sums.xx, x + i);
  add_eight(sums.y, sums.yy, block.y + i);
  add_eight_squares(sums.ee, block.error + i);
}

template <bool kMasked, class Y>
HWY_INLINE plain::PairLanes pair_lanes(const plain::PairSpan<Y>& pairs) {
  PairSums sums;
  clear(sums);
  PairBlock block;
  for (std::size_t at = 0; at < pairs.x.size(); at += PairBlock::kSize) {
    const std::size_t count = std::min(PairBlock::kSize, pairs.x.size() - at);
    prepare<kMasked>(sums, part(pairs, at, count), block);
    const float* block_x = kMasked ? block.x : pairs.x.data() + at;
    for (std::size_t i = 0; i < count; i += plain::kLanes) {
      add_eight_pairs(sums, block_x, block, i);
    }
  }
  return stored<kMasked>(sums, pairs);
}

/// The same, while x and y are counted: a block's positions during the next block's sums.
template <class Y>
HWY_INLINE plain::PairLanes counted_pair_lanes(const plain::PairSpan<Y>& pairs,
                                               PairCounters& counters) {
  const BinCounters bins = counters.bins;
  PairSums sums;
  clear(sums);
  PairBlock block;
  auto greatest_x = hn::Zero(Words());
  Positions positions[2];
  std::size_t turn = 0;
  std::size_t size = 0;
  for (std::size_t at = 0; at < pairs.x.size(); at += kBinBlock, turn ^= 1) {
    const std::size_t count = std::min(kBinBlock, pairs.x.size() - at);
    const plain::PairSpan<Y> here = part(pairs, at, count);
    prepare<false>(sums, here, block);
    Waiting waiting = wait(positions[turn ^ 1], size, count / kStep, bins.counts);
    size = 0;
    for (std::size_t i = 0; i < count; i += kStep) {
      size += find_step(here.x.data() + i, bins, greatest_x, positions[turn] + size);
      raise(waiting, bins.counts);
      for (std::size_t j = i; j < i + kStep; j += plain::kLanes) {
        add_eight_pairs(sums, here.x.data(), block, j);
        plain::count_eight(here.y.data() + j, *counters.codes);
      }
    }
    counters.found.counted += size;
  }
  Waiting waiting = wait(positions[turn ^ 1], size, 1, bins.counts);
  raise(waiting, bins.counts);
  counters.found.complete = hn::GetLane(hn::MaxOfLanes(Words(), greatest_x)) < bins.limit();
  return stored<false>(sums, pairs);
}

template <class Y>
HWY_NOINLINE plain::PairLanes masked_pair_lanes(const plain::PairSpan<Y>& pairs) {
  return pair_lanes<true>(pairs);
}

/// Pairs with a finite difference whose x lies outside the clip range.
template <class Y>
HWY_NOINLINE std::uint64_t count_clipped(const plain::PairSpan<Y>& pairs) {
  const Floats d;
  const FloatVec low = hn::Set(d, pairs.clip.low);
  const FloatVec high = hn::Set(d, pairs.clip.high);
  std::uint64_t clipped = 0;
  for (std::size_t i = 0; i < pairs.x.size(); i += kFloats) {
    const FloatVec x = hn::LoadU(d, pairs.x.data() + i);
    const FloatVec y = load_real(pairs.y.data() + i, pairs.how);
    const auto finite = hn::IsFinite(hn::Sub(x, y));
    clipped += count_true(hn::And(finite, hn::Or(hn::Lt(x, low), hn::Gt(x, high))));
  }
  return clipped;
}

/// From the lanes of its whole steps.
template <class Y>
HWY_INLINE ChunkPairs finish_chunk(plain::PairLanes lanes, const plain::PairSpan<Y>& whole,
                                   const plain::PairSpan<Y>& pairs) {
  if (!std::isfinite(plain::total(lanes.ee))) lanes = masked_pair_lanes(whole);
  if (lanes.finite != 0 && (lanes.min_x < pairs.clip.low || lanes.max_x > pairs.clip.high)) {
    lanes.clipped = count_clipped(whole);
  }
  plain::add(lanes, pairs, whole.x.size());
  return plain::finish(lanes);
}

template <class Y>
HWY_INLINE ChunkPairs pairs_of_chunk(const plain::PairSpan<Y>& pairs) {
  const plain::PairSpan<Y> whole = part(pairs, 0, pairs.x.size() - pairs.x.size() % kStep);
  return finish_chunk(pair_lanes<false>(whole), whole, pairs);
}

template <class Y>
HWY_INLINE ChunkPairs counted_pairs_of_chunk(const plain::PairSpan<Y>& pairs,
                                             PairCounters& counters) {
  const std::size_t size = pairs.x.size() - pairs.x.size() % kStep;
  const plain::PairSpan<Y> whole = part(pairs, 0, size);
  const plain::PairLanes lanes = counted_pair_lanes(whole, counters);
  plain::count_pairs(part(pairs, size, pairs.x.size() - size), counters);
  return finish_chunk(lanes, whole, pairs);
}

void pairs_float_simd(std::span<const float> x, std::span<const float> y, ClipRange clip,
                      ChunkPairs& out) {
  out = pairs_of_chunk<float>({x, y, {}, clip});
}
void pairs_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = pairs_of_chunk<std::uint8_t>({x, y, how, clip});
}
void pairs_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = pairs_of_chunk<std::int8_t>({x, y, how, clip});
}
void counted_u8_simd(const plain::PairSpan<std::uint8_t>& pairs, PairCounters& counters,
                     ChunkPairs& out) {
  out = counted_pairs_of_chunk(pairs, counters);
}
void counted_i8_simd(const plain::PairSpan<std::int8_t>& pairs, PairCounters& counters,
                     ChunkPairs& out) {
  out = counted_pairs_of_chunk(pairs, counters);
}

template <class Y>
HWY_INLINE void errors_of(std::span<const float> x, std::span<const Y> y, Dequantize8 how,
                          std::span<float> out) {
  const Floats d;
  const std::size_t whole = x.size() - x.size() % kFloats;
  for (std::size_t i = 0; i < whole; i += kFloats) {
    const FloatVec error = hn::Sub(hn::LoadU(d, x.data() + i), load_real(y.data() + i, how));
    hn::StoreU(error, d, out.data() + i);
  }
  plain::pair_errors(x.subspan(whole), y.subspan(whole), how, out.subspan(whole));
}

void errors_float_simd(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  errors_of(x, y, {}, out);
}
void errors_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                    std::span<float> out) {
  errors_of(x, y, how, out);
}
void errors_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                    std::span<float> out) {
  errors_of(x, y, how, out);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantlens {

HWY_EXPORT(pairs_float_simd);
HWY_EXPORT(pairs_u8_simd);
HWY_EXPORT(pairs_i8_simd);
HWY_EXPORT(counted_u8_simd);
HWY_EXPORT(counted_i8_simd);
HWY_EXPORT(errors_float_simd);
HWY_EXPORT(errors_u8_simd);
HWY_EXPORT(errors_i8_simd);

ChunkPairs chunk_pairs(std::span<const float> x, std::span<const float> y, ClipRange clip) {
  ChunkPairs pairs;
  HWY_DYNAMIC_DISPATCH(pairs_float_simd)(x, y, clip, pairs);
  return pairs;
}

ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                       ClipRange clip) {
  ChunkPairs pairs;
  HWY_DYNAMIC_DISPATCH(pairs_u8_simd)(x, y, how, clip, pairs);
  return pairs;
}

ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                       ClipRange clip) {
  ChunkPairs pairs;
  HWY_DYNAMIC_DISPATCH(pairs_i8_simd)(x, y, how, clip, pairs);
  return pairs;
}

ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                       ClipRange clip, PairCounters& counters) {
  ChunkPairs pairs;
  HWY_DYNAMIC_DISPATCH(counted_u8_simd)({x, y, how, clip}, counters, pairs);
  return pairs;
}

ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                       ClipRange clip, PairCounters& counters) {
  ChunkPairs pairs;
  HWY_DYNAMIC_DISPATCH(counted_i8_simd)({x, y, how, clip}, counters, pairs);
  return pairs;
}

void pair_errors(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(errors_float_simd)(x, y, out);
}

void pair_errors(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                 std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(errors_u8_simd)(x, y, how, out);
}

void pair_errors(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                 std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(errors_i8_simd)(x, y, how, out);
}

}  // namespace quantlens

#endif  // HWY_ONCE
