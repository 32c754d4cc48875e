// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_buckets.h"

#include <cmath>
#include <limits>

namespace quantlens {
namespace {

constexpr int kLeastSignedCode = -128;
constexpr double kHalfStep = 0.5;

/// The least float that is not below the bin's upper end as NumPy counts: bins of negative values
/// hold their upper end.
double upper_edge(const FloatHistogram::Bin& bin) {
  if (bin.high > 0) return bin.high;
  return std::nextafter(static_cast<float>(bin.high), std::numeric_limits<float>::infinity());
}

void put(EventBuckets& buckets, double limit, std::uint64_t count) {
  buckets.limits.push_back(limit);
  buckets.counts.push_back(static_cast<double>(count));
}

}  // namespace

EventBuckets buckets_of(const FloatHistogram& histogram) {
  EventBuckets buckets;
  const std::vector<FloatHistogram::Bin> bins = histogram.bins();
  if (bins.empty()) return buckets;
  const double width = (bins.back().high - bins.front().low) / kPartsOfFloats;
  double begin = bins.front().low;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    // Where nothing lies between two bins, that is a bucket of its own: it must look empty.
    if (bins[i].low - begin >= width) {
      const double gap = upper_edge(bins[i - 1]);  // the first bin begins at `begin`
      put(buckets, gap, count);
      if (bins[i].low > gap) put(buckets, bins[i].low, 0);
      begin = bins[i].low;
      count = 0;
    }
    count += bins[i].count;
  }
  put(buckets, upper_edge(bins.back()), count);
  return buckets;
}

EventBuckets buckets_of(const CodeHistogram& codes, const QParams& params, bool is_signed) {
  EventBuckets buckets;
  const double scale = params.scale;
  const double half = std::abs(scale) * kHalfStep;
  if (!(half > 0) || !std::isfinite(half)) return buckets;  // another tool wrote it
  std::size_t first = 0, last = codes.counts.size();
  while (first < last && codes.counts[first] == 0) ++first;
  while (last > first && codes.counts[last - 1] == 0) --last;
  const int least = is_signed ? kLeastSignedCode : 0;
  for (std::size_t n = 0; n < last - first; ++n) {
    // Of a negative scale the greatest code means the least value.
    const std::size_t i = scale < 0 ? last - 1 - n : first + n;
    const double code = static_cast<double>(i) + least - params.zero_point;
    put(buckets, scale * code + half, codes.counts[i]);
  }
  return buckets;
}

}  // namespace quantlens
