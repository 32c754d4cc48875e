// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quantlens/stats/bin_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles what follows once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void find_bins_simd(std::span<const float> x, BinLayout layout, std::uint32_t* positions,
                    BinnedBlock& out) {
  out = plain::find_bins(x, layout, positions);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using Ints = hn::ScalableTag<std::int32_t>;

/// Where all are finite, what has no position is zero or subnormal, and need not be counted.
template <bool kFinite>
HWY_INLINE BinnedBlock bins_of_whole(std::span<const float> x, BinLayout layout,
                                     std::uint32_t* positions) {
  const Ints d;
  const Words words;
  const auto magnitudes = hn::Set(d, plain::kMagnitude);
  const auto greatest_zero = hn::Set(d, plain::kLeastNormal - 1);
  const auto infinity = hn::Set(d, plain::kInfinity);
  const auto fine_offset = hn::Set(d, layout.fine_offset());
  const auto side = hn::Set(d, layout.side());
  auto greatest = hn::Zero(d);
  auto signs = hn::Zero(d);
  BinnedBlock found;
  const auto* values = reinterpret_cast<const std::int32_t*>(x.data());
  for (std::size_t i = 0; i < x.size(); i += hn::Lanes(d)) {
    const auto bits = hn::LoadU(d, values + i);
    const auto magnitude = hn::And(bits, magnitudes);
    auto counted = hn::Gt(magnitude, greatest_zero);
    if constexpr (kFinite) {
      greatest = hn::Max(greatest, magnitude);
    } else {
      const auto finite = hn::Lt(magnitude, infinity);
      greatest = hn::Max(greatest, hn::IfThenElseZero(finite, magnitude));
      found.zeros += hn::CountTrue(d, hn::AndNot(counted, finite));
      counted = hn::And(counted, finite);
    }
    signs = hn::Or(signs, hn::IfThenElseZero(counted, bits));
    const auto coarse = hn::ShiftRight<20>(magnitude);
    const auto fine = hn::Sub(hn::ShiftRight<15>(magnitude), fine_offset);
    const auto below_zero = hn::And(hn::ShiftRight<31>(bits), side);
    const auto position = hn::BitCast(words, hn::Add(hn::Max(coarse, fine), below_zero));
    const auto mask = hn::RebindMask(words, counted);
    hn::StoreU(hn::Compress(position, mask), words, positions + found.binned);
    found.binned += hn::CountTrue(d, counted);
  }
  if constexpr (kFinite) found.zeros = x.size() - found.binned;
  found.greatest = hn::GetLane(hn::MaxOfLanes(d, greatest));
  found.negative = !hn::AllFalse(d, hn::Lt(signs, hn::Zero(d)));
  return found;
}

// Not inlined: rare, and it would crowd the registers of the loop that is hot.
HWY_NOINLINE BinnedBlock bins_of_mixed(std::span<const float> x, BinLayout layout,
                                        std::uint32_t* positions) {
  return bins_of_whole<false>(x, layout, positions);
}

void find_bins_simd(std::span<const float> x, BinLayout layout, std::uint32_t* positions,
                    BinnedBlock& out) {
  const std::size_t whole = x.size() - x.size() % hn::Lanes(Words());
  out = bins_of_whole<true>(x.first(whole), layout, positions);
  if (out.greatest >= plain::kInfinity) out = bins_of_mixed(x.first(whole), layout, positions);
  plain::add_bins(x.subspan(whole), layout, positions, out);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace quantlens {

HWY_EXPORT(find_bins_simd);

BinnedBlock find_bins(std::span<const float> x, BinLayout layout, std::uint32_t* positions) {
  BinnedBlock found;
  HWY_DYNAMIC_DISPATCH(find_bins_simd)(x, layout, positions, found);
  return found;
}

}  // namespace quantlens

#endif  // HWY_ONCE
