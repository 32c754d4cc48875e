// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/kernels.h"

#include <algorithm>
#include <cmath>

#include "quantlens/stats/kernels_plain.h"

// Only vectors whose width is known when we compile: the number of them that makes eight lanes is a
// constant.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

#include "quantlens/stats/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void chunk_moments_simd(std::span<const float> x, ChunkMoments& out) {
  out = plain::chunk_moments(x);
}
void run_moments_simd(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  plain::run_moments(x, length, out);
}
void add_rows_simd(std::span<const float> table, ColumnMoments& moments) {
  plain::add_rows(table, moments);
}

#else

/// Adds those of kStep values that are finite.
HWY_INLINE void add_step_masked(MomentSums& sums, const float* x) {
  const Floats d;
  HWY_ALIGN float finite_x[kStep];  // 0 for the others: adding it changes nothing
  for (std::size_t i = 0; i < kStep; i += kFloats) {
    const FloatVec v = hn::LoadU(d, x + i);
    const auto finite = hn::IsFinite(v);
    widen_where(finite, sums.extremes, v);
    sums.finite += count_true(finite);
    sums.nan += count_true(hn::IsNaN(v));
    hn::Store(hn::IfThenElseZero(finite, v), d, finite_x + i);
  }
  for (std::size_t i = 0; i < kStep; i += plain::kLanes) {
    add_eight(sums.sum, sums.sum_sq, finite_x + i);
  }
}

template <bool kMasked>
HWY_INLINE plain::MomentLanes moment_lanes(const float* x, std::size_t size) {
  MomentSums sums;
  clear(sums);
  for (std::size_t i = 0; i < size; i += kStep) {
    if constexpr (kMasked) {
      add_step_masked(sums, x + i);
    } else {
      add_step(sums, x + i);
    }
  }
  plain::MomentLanes lanes = stored(sums);
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
    const DoubleVec low = load_doubles(x);
    const DoubleVec high = load_doubles(x + kDoubles);
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
  moments.rows += table.size() / columns;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantlens {

HWY_EXPORT(chunk_moments_simd);
HWY_EXPORT(run_moments_simd);
HWY_EXPORT(add_rows_simd);

ChunkMoments chunk_moments(std::span<const float> x) {
  ChunkMoments moments;
  HWY_DYNAMIC_DISPATCH(chunk_moments_simd)(x, moments);
  return moments;
}

void run_moments(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  HWY_DYNAMIC_DISPATCH(run_moments_simd)(x, length, out);
}

void add_rows(std::span<const float> table, ColumnMoments& moments) {
  HWY_DYNAMIC_DISPATCH(add_rows_simd)(table, moments);
}

}  // namespace quantlens

#endif  // HWY_ONCE
