// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/quant/params.h"
#include "quantlens/stats/histogram.h"

namespace quantlens {

/// A tensor's distribution as an event has it: figures of all its finite elements, and how many lie
/// between edges. Bucket i holds what is at least limit[i - 1] and less than limit[i], the first
/// one all that is less than its limit; NumPy's histogram over {min, limit...} counts the same.
struct EventBuckets {
  double min = 0, max = 0, count = 0, sum = 0, sum_squares = 0;
  std::vector<double> limits;  ///< ascending; the last one is above all elements
  std::vector<double> counts;  ///< as many
};

/// Of how many parts of the whole range a bucket of floats is at least one wide.
inline constexpr int kPartsOfFloats = 128;

/// Neighbouring bins put together until they are wide enough, no bin divided, so that every count
/// is exact; where nothing lies, a bucket is empty. At most 2 * kPartsOfFloats + 1 of them. Figures
/// are the caller's. Empty of an empty histogram.
EventBuckets buckets_of(const FloatHistogram& histogram);

/// A bucket for each code from the least to the greatest that was counted, its edges half way
/// between what codes stand for. Empty where there is no count, or no code stands for a number.
EventBuckets buckets_of(const CodeHistogram& codes, const QParams& params, bool is_signed);

}  // namespace quantlens
