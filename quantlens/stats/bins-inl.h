// SPDX-License-Identifier: Apache-2.0
// Positions of a histogram's bins, by vectors. Included once for every instruction set by the
// kernels that count, and by nobody else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/lanes-inl.h"

#if defined(QUANTLENS_STATS_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTLENS_STATS_BINS_INL_H_
#undef QUANTLENS_STATS_BINS_INL_H_
#else
#define QUANTLENS_STATS_BINS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace quantlens {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

using Words = hn::RebindToUnsigned<Floats>;

/// The positions of a block's values are found by vectors. They are counted, one by one, while
/// those of the next block are found: the two keep different parts of a core busy.
constexpr std::size_t kBinBlock = 256;
using Positions = std::uint32_t[kBinBlock + kFloats];

/// Finds the positions of kStep values, widens `greatest` and gives how many there are. A vector is
/// stored whole, whatever of it counts.
HWY_INLINE std::size_t find_step(const float* x, const BinCounters& bins, hn::Vec<Words>& greatest,
                                 std::uint32_t* positions) {
  const Words d;
  const hn::RebindToSigned<Words> ints;
  const auto least_normal = hn::Set(d, plain::kLeastNormal);
  const auto width = hn::Set(d, bins.limit() - plain::kLeastNormal);
  const auto fine_offset = hn::Set(ints, bins.layout.fine_offset());
  const auto side = hn::Set(ints, bins.layout.side());
  std::size_t size = 0;
  for (std::size_t i = 0; i < kStep; i += kFloats) {
    const auto bits = hn::BitCast(d, hn::LoadU(Floats(), x + i));
    const auto magnitude = hn::And(bits, hn::Set(d, bins.seen()));
    const auto counts = hn::Lt(hn::Sub(magnitude, least_normal), width);
    const auto coarse = hn::BitCast(ints, hn::ShiftRight<20>(magnitude));
    const auto fine = hn::Sub(hn::BitCast(ints, hn::ShiftRight<15>(magnitude)), fine_offset);
    const auto negative = hn::And(hn::ShiftRight<31>(hn::BitCast(ints, bits)), side);
    const auto position = hn::Add(hn::Max(coarse, fine), negative);
    hn::StoreU(hn::Compress(hn::BitCast(d, position), counts), d, positions + size);
    size += hn::CountTrue(d, counts);
    greatest = hn::Max(greatest, magnitude);
  }
  return size;
}

/// The positions of a block that are still to be counted, an even share at each step of the next.
struct Waiting {
  const std::uint32_t* next;
  std::size_t left;   // even
  std::size_t share;  // likewise
};

/// One of an odd number is counted at once.
HWY_INLINE Waiting wait(const std::uint32_t* positions, std::size_t size, std::size_t steps,
                        std::uint32_t* counts) {
  if (size % 2 != 0) ++counts[positions[--size]];
  return {positions, size, (size + 2 * steps - 1) / (2 * steps) * 2};
}

HWY_INLINE void raise(Waiting& waiting, std::uint32_t* counts) {
  const std::size_t count = std::min(waiting.share, waiting.left);
  for (std::size_t i = 0; i < count; i += 2) {
    std::uint64_t two;  // one load, not two
    std::memcpy(&two, waiting.next + i, sizeof two);
    ++counts[static_cast<std::uint32_t>(two)];
    ++counts[two >> 32];
  }
  waiting.next += count;
  waiting.left -= count;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace quantlens
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each instruction set
