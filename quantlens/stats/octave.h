// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantlens {

// How FloatHistogram divides an octave; not for other modules.

inline constexpr std::uint32_t kFine = 256;  ///< bins of an octave
inline constexpr std::uint32_t kCoarse = 8;  ///< bins of a folded one; the zero bin has 1

/// Adds kFine counters to the 256, 8 or 1 of an octave.
template <class Count>
void add_fine(const Count* fine, std::vector<std::uint64_t>& octave) {
  std::uint64_t* counts = octave.data();
  if (octave.size() == kFine) {
    for (std::size_t i = 0; i < kFine; ++i) counts[i] += fine[i];
    return;
  }
  const std::size_t step = octave.size() == kCoarse ? kFine / kCoarse : kFine;
  for (std::size_t i = 0; i < kFine; i += step) {
    std::uint64_t sum = 0;
    for (std::size_t j = i; j < i + step; ++j) sum += fine[j];
    counts[i / step] += sum;
  }
}

}  // namespace quantlens
