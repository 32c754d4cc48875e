// SPDX-License-Identifier: Apache-2.0
// Eight lanes of double sums, whatever the width of a vector. Included once for every instruction
// set by the kernels, and by nobody else.
#include <algorithm>
#include <cstddef>

#include <hwy/highway.h>

#include "quantlens/stats/kernels_plain.h"

#if defined(QUANTLENS_STATS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTLENS_STATS_LANES_INL_H_
#undef QUANTLENS_STATS_LANES_INL_H_
#else
#define QUANTLENS_STATS_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR  // vectors of one lane: there the plain loops are as good

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using HalfFloats = hn::Half<Floats>;  // as many as there are Doubles
using FloatVec = hn::Vec<Floats>;
using DoubleVec = hn::Vec<Doubles>;

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

/// Straight from memory: cheaper than from the halves of a register.
HWY_INLINE DoubleVec load_doubles(const float* x) {
  return hn::PromoteTo(Doubles(), hn::LoadU(HalfFloats(), x));
}

/// Adds eight values to the eight lanes, and their squares.
template <std::size_t I = 0>
HWY_INLINE void add_eight(Sum& sum, Sum& sum_sq, const float* x) {
  const DoubleVec v = load_doubles(x + I * kDoubles);
  sum.lanes[I] = hn::Add(sum.lanes[I], v);
  sum_sq.lanes[I] = hn::MulAdd(v, v, sum_sq.lanes[I]);
  if constexpr (I + 1 < kGroups) add_eight<I + 1>(sum, sum_sq, x);
}

/// Adds the squares of eight values.
template <std::size_t I = 0>
HWY_INLINE void add_eight_squares(Sum& sum_sq, const float* x) {
  const DoubleVec v = load_doubles(x + I * kDoubles);
  sum_sq.lanes[I] = hn::MulAdd(v, v, sum_sq.lanes[I]);
  if constexpr (I + 1 < kGroups) add_eight_squares<I + 1>(sum_sq, x);
}

/// The least and the greatest of many values, lane by lane.
struct Extremes {
  FloatVec min, max;
};

HWY_INLINE void clear(Extremes& extremes) {
  extremes.min = hn::Set(Floats(), std::numeric_limits<float>::infinity());
  extremes.max = hn::Set(Floats(), -std::numeric_limits<float>::infinity());
}

HWY_INLINE void widen(Extremes& extremes, FloatVec v) {
  extremes.min = hn::Min(extremes.min, v);
  extremes.max = hn::Max(extremes.max, v);
}

template <class Mask>
HWY_INLINE void widen_where(Mask mask, Extremes& extremes, FloatVec v) {
  extremes.min = hn::IfThenElse(mask, hn::Min(extremes.min, v), extremes.min);
  extremes.max = hn::IfThenElse(mask, hn::Max(extremes.max, v), extremes.max);
}

HWY_INLINE float least(const Extremes& extremes) {
  return hn::GetLane(hn::MinOfLanes(Floats(), extremes.min));
}
HWY_INLINE float greatest(const Extremes& extremes) {
  return hn::GetLane(hn::MaxOfLanes(Floats(), extremes.max));
}

template <class Mask>
HWY_INLINE std::uint64_t count_true(Mask mask) {
  return hn::CountTrue(Floats(), mask);
}

/// What a chunk's moments are made of.
struct MomentSums {
  Sum sum, sum_sq;
  Extremes extremes;
  std::uint64_t finite, nan;
};

HWY_INLINE void clear(MomentSums& sums) {
  clear(sums.sum);
  clear(sums.sum_sq);
  clear(sums.extremes);
  sums.finite = sums.nan = 0;
}

/// Adds kStep finite values.
HWY_INLINE void add_step(MomentSums& sums, const float* x) {
  for (std::size_t i = 0; i < kStep; i += kFloats) {
    widen(sums.extremes, hn::LoadU(Floats(), x + i));
  }
  for (std::size_t i = 0; i < kStep; i += plain::kLanes) add_eight(sums.sum, sums.sum_sq, x + i);
}

HWY_INLINE plain::MomentLanes stored(const MomentSums& sums) {
  plain::MomentLanes lanes;
  store(sums.sum, lanes.sum);
  store(sums.sum_sq, lanes.sum_sq);
  lanes.min = least(sums.extremes);
  lanes.max = greatest(sums.extremes);
  return lanes;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each instruction set
