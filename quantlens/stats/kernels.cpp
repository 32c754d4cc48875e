// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/kernels.h"

#include <algorithm>
#include <cmath>

#include "quantlens/stats/kernels_plain.h"

// Vectors whose width is known when we compile: their number that makes eight lanes is a constant.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // vectors of one lane: the plain loops are as good

void chunk_moments_simd(std::span<const float> x, ChunkMoments& out) {
  out = plain::chunk_moments(x);
}
void run_moments_simd(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  plain::run_moments(x, length, out);
}
void pairs_float_simd(std::span<const float> x, std::span<const float> y, ClipRange clip,
                      ChunkPairs& out) {
  out = plain::chunk_pairs(x, y, {}, clip);
}
void pairs_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = plain::chunk_pairs(x, y, how, clip);
}
void pairs_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = plain::chunk_pairs(x, y, how, clip);
}
void add_rows_simd(std::span<const float> table, ColumnMoments& moments) {
  plain::add_rows(table, moments);
}

#else

using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using FloatVec = hn::Vec<Floats>;
using DoubleVec = hn::Vec<Doubles>;
using HalfFloats = hn::Half<Floats>;

constexpr std::size_t kFloats = HWY_LANES(float);
constexpr std::size_t kDoubles = HWY_LANES(double);
constexpr std::size_t kGroups = plain::kLanes / kDoubles;  // double vectors that make eight lanes
constexpr std::size_t kStep = std::max(plain::kLanes, kFloats);  // elements of one turn of a loop

// Templates count their steps where a loop would do, so that every index is a constant and the sums
// stay in registers whatever the optimizer unrolls; and structs of vectors are filled by functions,
// since an implicit constructor would not be compiled for this instruction set.

/// The eight lanes of one sum.
struct Sum {
  DoubleVec lanes[kGroups];
};

template <std::size_t I = 0>
HWY_INLINE void clear(Sum& sum) {
  sum.lanes[I] = hn::Zero(Doubles());
  if constexpr (I + 1 < kGroups) clear<I + 1>(sum);
}

template <std::size_t I = 0>
HWY_INLINE void store(const Sum& sum, plain::Lanes& lanes) {
  hn::StoreU(sum.lanes[I], Doubles(), lanes.data() + I * kDoubles);
  if constexpr (I + 1 < kGroups) store<I + 1>(sum, lanes);
}

HWY_INLINE DoubleVec lower(FloatVec v) {
  return hn::PromoteTo(Doubles(), hn::LowerHalf(HalfFloats(), v));
}
HWY_INLINE DoubleVec upper(FloatVec v) {
  return hn::PromoteTo(Doubles(), hn::UpperHalf(HalfFloats(), v));
}

/// The lanes that the two halves of a turn's float vector number J belong to.
template <std::size_t J>
constexpr std::size_t kLower = (2 * J) % kGroups;
template <std::size_t J>
constexpr std::size_t kUpper = (2 * J + 1) % kGroups;

template <std::size_t J>
HWY_INLINE void add_values(Sum& sum, FloatVec v) {
  sum.lanes[kLower<J>] = hn::Add(sum.lanes[kLower<J>], lower(v));
  sum.lanes[kUpper<J>] = hn::Add(sum.lanes[kUpper<J>], upper(v));
}

template <std::size_t J>
HWY_INLINE void add_squares(Sum& sum, FloatVec v) {
  const DoubleVec low = lower(v);
  const DoubleVec high = upper(v);
  sum.lanes[kLower<J>] = hn::MulAdd(low, low, sum.lanes[kLower<J>]);
  sum.lanes[kUpper<J>] = hn::MulAdd(high, high, sum.lanes[kUpper<J>]);
}

template <class Mask>
HWY_INLINE std::uint64_t count_true(Mask mask) {
  return hn::CountTrue(Floats(), mask);
}

// ---- moments ----

struct MomentSums {
  Sum sum, sum_sq;
  FloatVec min, max;
  std::uint64_t finite, nan;
};

HWY_INLINE void clear(MomentSums& sums) {
  clear(sums.sum);
  clear(sums.sum_sq);
  sums.min = hn::Set(Floats(), std::numeric_limits<float>::infinity());
  sums.max = hn::Set(Floats(), -std::numeric_limits<float>::infinity());
  sums.finite = sums.nan = 0;
}

template <bool kMasked, std::size_t J = 0>
HWY_INLINE void step_moments(MomentSums& sums, const float* x) {
  const Floats d;
  const FloatVec v = hn::LoadU(d, x + J * kFloats);
  if constexpr (kMasked) {
    const auto finite = hn::IsFinite(v);
    add_values<J>(sums.sum, hn::IfThenElseZero(finite, v));
    add_squares<J>(sums.sum_sq, hn::IfThenElseZero(finite, v));
    sums.min = hn::IfThenElse(finite, hn::Min(sums.min, v), sums.min);
    sums.max = hn::IfThenElse(finite, hn::Max(sums.max, v), sums.max);
    sums.finite += count_true(finite);
    sums.nan += count_true(hn::IsNaN(v));
  } else {
    add_values<J>(sums.sum, v);
    add_squares<J>(sums.sum_sq, v);
    sums.min = hn::Min(sums.min, v);
    sums.max = hn::Max(sums.max, v);
  }
  if constexpr ((J + 1) * kFloats < kStep) step_moments<kMasked, J + 1>(sums, x);
}

template <bool kMasked>
HWY_INLINE plain::MomentLanes moment_lanes(const float* x, std::size_t size) {
  MomentSums sums;
  clear(sums);
  for (std::size_t i = 0; i < size; i += kStep) step_moments<kMasked>(sums, x + i);
  plain::MomentLanes lanes;
  store(sums.sum, lanes.sum);
  store(sums.sum_sq, lanes.sum_sq);
  lanes.min = hn::GetLane(hn::MinOfLanes(Floats(), sums.min));
  lanes.max = hn::GetLane(hn::MaxOfLanes(Floats(), sums.max));
  lanes.finite = kMasked ? sums.finite : size;
  lanes.nan = sums.nan;
  lanes.inf = size - lanes.finite - lanes.nan;
  return lanes;
}

// Not inlined: cold, and it would crowd the registers of the loop that is hot.
HWY_NOINLINE plain::MomentLanes masked_moment_lanes(const float* x, std::size_t size) {
  return moment_lanes<true>(x, size);
}

HWY_INLINE ChunkMoments moments_of_chunk(std::span<const float> x) {
  const std::size_t whole = x.size() - x.size() % kStep;
  plain::MomentLanes lanes = moment_lanes<false>(x.data(), whole);
  // One NaN or infinity makes a sum of squares NaN or infinite; finite floats cannot.
  if (!std::isfinite(plain::total(lanes.sum_sq))) lanes = masked_moment_lanes(x.data(), whole);
  plain::add(lanes, x, whole);
  return plain::finish(lanes);
}

void chunk_moments_simd(std::span<const float> x, ChunkMoments& out) {
  out = moments_of_chunk(x);
}

void run_moments_simd(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = moments_of_chunk(x.subspan(i * length, length));
  }
}

// ---- pairs ----

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

struct PairSums {
  Sum x, xx, y, yy, ee;
  FloatVec min_x, max_x, min_y, max_y, max_abs_error;
  std::uint64_t finite;
};

HWY_INLINE void clear(PairSums& sums) {
  clear(sums.x);
  clear(sums.xx);
  clear(sums.y);
  clear(sums.yy);
  clear(sums.ee);
  sums.min_x = sums.min_y = hn::Set(Floats(), std::numeric_limits<float>::infinity());
  sums.max_x = sums.max_y = hn::Set(Floats(), -std::numeric_limits<float>::infinity());
  sums.max_abs_error = hn::Zero(Floats());
  sums.finite = 0;
}

template <std::size_t J>
HWY_INLINE void add_pair(PairSums& sums, FloatVec x, FloatVec y, FloatVec error) {
  add_values<J>(sums.x, x);
  add_squares<J>(sums.xx, x);
  add_values<J>(sums.y, y);
  add_squares<J>(sums.yy, y);
  add_squares<J>(sums.ee, error);
  sums.max_abs_error = hn::Max(sums.max_abs_error, hn::Abs(error));
}

template <bool kMasked, class Y, std::size_t J = 0>
HWY_INLINE void step_pairs(PairSums& sums, const float* x, const Y* y, Dequantize8 how) {
  const FloatVec vx = hn::LoadU(Floats(), x + J * kFloats);
  const FloatVec vy = load_real(y + J * kFloats, how);
  const FloatVec error = hn::Sub(vx, vy);
  if constexpr (kMasked) {
    const auto finite = hn::IsFinite(error);
    add_pair<J>(sums, hn::IfThenElseZero(finite, vx), hn::IfThenElseZero(finite, vy),
                hn::IfThenElseZero(finite, error));
    sums.min_x = hn::IfThenElse(finite, hn::Min(sums.min_x, vx), sums.min_x);
    sums.max_x = hn::IfThenElse(finite, hn::Max(sums.max_x, vx), sums.max_x);
    sums.min_y = hn::IfThenElse(finite, hn::Min(sums.min_y, vy), sums.min_y);
    sums.max_y = hn::IfThenElse(finite, hn::Max(sums.max_y, vy), sums.max_y);
    sums.finite += count_true(finite);
  } else {
    add_pair<J>(sums, vx, vy, error);
    sums.min_x = hn::Min(sums.min_x, vx);
    sums.max_x = hn::Max(sums.max_x, vx);
    sums.min_y = hn::Min(sums.min_y, vy);
    sums.max_y = hn::Max(sums.max_y, vy);
  }
  if constexpr ((J + 1) * kFloats < kStep) step_pairs<kMasked, Y, J + 1>(sums, x, y, how);
}

template <bool kMasked, class Y>
HWY_INLINE plain::PairLanes pair_lanes(const float* x, const Y* y, std::size_t size,
                                       Dequantize8 how) {
  const Floats d;
  PairSums sums;
  clear(sums);
  for (std::size_t i = 0; i < size; i += kStep) step_pairs<kMasked>(sums, x + i, y + i, how);
  plain::PairLanes lanes;
  store(sums.x, lanes.x);
  store(sums.xx, lanes.xx);
  store(sums.y, lanes.y);
  store(sums.yy, lanes.yy);
  store(sums.ee, lanes.ee);
  lanes.min_x = hn::GetLane(hn::MinOfLanes(d, sums.min_x));
  lanes.max_x = hn::GetLane(hn::MaxOfLanes(d, sums.max_x));
  lanes.min_y = hn::GetLane(hn::MinOfLanes(d, sums.min_y));
  lanes.max_y = hn::GetLane(hn::MaxOfLanes(d, sums.max_y));
  lanes.max_abs_error = hn::GetLane(hn::MaxOfLanes(d, sums.max_abs_error));
  lanes.finite = kMasked ? sums.finite : size;
  lanes.nonfinite = size - lanes.finite;
  return lanes;
}

template <class Y>
HWY_NOINLINE plain::PairLanes masked_pair_lanes(const float* x, const Y* y, std::size_t size,
                                                Dequantize8 how) {
  return pair_lanes<true>(x, y, size, how);
}

/// Pairs with a finite difference whose x lies outside `clip`.
template <class Y>
HWY_NOINLINE std::uint64_t count_clipped(const float* x, const Y* y, std::size_t size,
                                         Dequantize8 how, ClipRange clip) {
  const Floats d;
  const FloatVec low = hn::Set(d, clip.low);
  const FloatVec high = hn::Set(d, clip.high);
  std::uint64_t clipped = 0;
  for (std::size_t i = 0; i < size; i += kFloats) {
    const FloatVec v = hn::LoadU(d, x + i);
    const auto finite = hn::IsFinite(hn::Sub(v, load_real(y + i, how)));
    clipped += count_true(hn::And(finite, hn::Or(hn::Lt(v, low), hn::Gt(v, high))));
  }
  return clipped;
}

template <class Y>
HWY_INLINE ChunkPairs pairs_of_chunk(std::span<const float> x, std::span<const Y> y,
                                     Dequantize8 how, ClipRange clip) {
  const std::size_t whole = x.size() - x.size() % kStep;
  plain::PairLanes lanes = pair_lanes<false>(x.data(), y.data(), whole, how);
  if (!std::isfinite(plain::total(lanes.ee))) {
    lanes = masked_pair_lanes(x.data(), y.data(), whole, how);
  }
  if (lanes.finite != 0 && (lanes.min_x < clip.low || lanes.max_x > clip.high)) {
    lanes.clipped = count_clipped(x.data(), y.data(), whole, how, clip);
  }
  plain::add(lanes, x, y, how, clip, whole);
  return plain::finish(lanes);
}

void pairs_float_simd(std::span<const float> x, std::span<const float> y, ClipRange clip,
                      ChunkPairs& out) {
  out = pairs_of_chunk(x, y, {}, clip);
}
void pairs_u8_simd(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = pairs_of_chunk(x, y, how, clip);
}
void pairs_i8_simd(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                   ClipRange clip, ChunkPairs& out) {
  out = pairs_of_chunk(x, y, how, clip);
}

// ---- columns ----

/// Adds kFloats columns of `rows` rows, `stride` floats apart; false where a value is not finite,
/// and then nothing is added.
HWY_INLINE bool add_column_block(const float* x, std::size_t rows, std::size_t stride,
                                 ColumnMoments& moments, std::size_t column) {
  const Floats d;
  const Doubles dd;
  double* sum = moments.sum.data() + column;
  double* sum_sq = moments.sum_sq.data() + column;
  DoubleVec sum_low = hn::LoadU(dd, sum);
  DoubleVec sum_high = hn::LoadU(dd, sum + kDoubles);
  DoubleVec square_low = hn::LoadU(dd, sum_sq);
  DoubleVec square_high = hn::LoadU(dd, sum_sq + kDoubles);
  FloatVec min = hn::LoadU(d, moments.min.data() + column);
  FloatVec max = hn::LoadU(d, moments.max.data() + column);
  for (std::size_t row = 0; row < rows; ++row, x += stride) {
    const FloatVec v = hn::LoadU(d, x);
    const DoubleVec low = lower(v);
    const DoubleVec high = upper(v);
    sum_low = hn::Add(sum_low, low);
    sum_high = hn::Add(sum_high, high);
    square_low = hn::MulAdd(low, low, square_low);
    square_high = hn::MulAdd(high, high, square_high);
    min = hn::Min(min, v);
    max = hn::Max(max, v);
  }
  const auto finite = hn::And(hn::IsFinite(square_low), hn::IsFinite(square_high));
  if (!hn::AllTrue(dd, finite)) return false;
  const FloatVec zero = hn::Zero(d);  // -0.0 becomes 0.0
  hn::StoreU(sum_low, dd, sum);
  hn::StoreU(sum_high, dd, sum + kDoubles);
  hn::StoreU(square_low, dd, sum_sq);
  hn::StoreU(square_high, dd, sum_sq + kDoubles);
  hn::StoreU(hn::Add(min, zero), d, moments.min.data() + column);
  hn::StoreU(hn::Add(max, zero), d, moments.max.data() + column);
  return true;
}

void add_rows_simd(std::span<const float> table, ColumnMoments& moments) {
  const std::size_t columns = moments.sum.size();
  // A tile of rows stays in the first-level cache while its column blocks are walked.
  const std::size_t tile = std::max<std::size_t>(8, 4096 / columns) * columns;
  for (std::size_t at = 0; at < table.size(); at += tile) {
    const std::span<const float> part = table.subspan(at, std::min(tile, table.size() - at));
    std::size_t column = 0;
    for (; column + kFloats <= columns; column += kFloats) {
      const std::size_t rows = part.size() / columns;
      if (!add_column_block(part.data() + column, rows, columns, moments, column)) {
        plain::add_rows(part, moments, column, column + kFloats);
      }
    }
    if (column < columns) plain::add_rows(part, moments, column, columns);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantlens {

HWY_EXPORT(chunk_moments_simd);
HWY_EXPORT(run_moments_simd);
HWY_EXPORT(pairs_float_simd);
HWY_EXPORT(pairs_u8_simd);
HWY_EXPORT(pairs_i8_simd);
HWY_EXPORT(add_rows_simd);

ChunkMoments chunk_moments(std::span<const float> x) {
  ChunkMoments moments;
  HWY_DYNAMIC_DISPATCH(chunk_moments_simd)(x, moments);
  return moments;
}

void run_moments(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  HWY_DYNAMIC_DISPATCH(run_moments_simd)(x, length, out);
}

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

void add_rows(std::span<const float> table, ColumnMoments& moments) {
  HWY_DYNAMIC_DISPATCH(add_rows_simd)(table, moments);
}

}  // namespace quantlens

#endif  // HWY_ONCE
