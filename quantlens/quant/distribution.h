// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "quantlens/quant/params.h"
#include "quantlens/stats/histogram.h"

namespace quantlens {

/// From here on a magnitude stands for infinity: exporters write masks as the least float, and no
/// network computes with such numbers.
inline constexpr float kMask = 0x1p100F;

/// How the elements of one value are spread, as searches for a range see them. Masks (`kMask`) are
/// left out as infinities are.
class Distribution {
 public:
  using Bin = FloatHistogram::Bin;

  /// `extremes` are those of the elements that the histogram counts. REQUIRES: it is not empty.
  Distribution(const FloatHistogram& histogram, Range extremes);

  /// As the histogram has them, no wider than the extremes; those of a single value have no width.
  std::span<const Bin> elements() const { return elements_; }
  /// Of bins far narrower than what holds nearly all elements, so many together that some 2,000
  /// remain.
  std::span<const Bin> bins() const { return bins_; }
  double count() const { return count_; }
  /// 0..0 where all are masks. Where some are, to a bin of the histogram.
  Range extremes() const { return extremes_; }
  bool has_masks_below() const { return masks_below_; }
  bool has_masks_above() const { return masks_above_; }

  /// Of (x - y)^2, summed over all elements and divided by their number, where y is x quantized:
  /// integrals over each bin as if its elements were spread evenly. Zeros are exact.
  struct Error {
    double rounding = 0;    ///< inside the codes' reach
    double saturation = 0;  ///< outside
    double sum() const { return rounding + saturation; }
  };
  Error expected_error(const QParams& params, const CodeRange& codes) const;

 private:
  std::vector<Bin> elements_, bins_;
  double count_ = 0;
  Range extremes_;
  bool masks_below_ = false, masks_above_ = false;
};

}  // namespace quantlens
