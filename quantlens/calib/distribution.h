// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "quantlens/quant/params.h"
#include "quantlens/stats/histogram.h"

namespace quantlens {

/// How the elements of one value are spread, as searches for a range see them: bins in ascending
/// order, each with its elements evenly over its width; of bins far narrower than the whole, so
/// many together that some 2,000 remain.
class Distribution {
 public:
  /// `extremes` are those of the elements that the histogram counts. REQUIRES: it is not empty.
  Distribution(const FloatHistogram& histogram, Range extremes);

  std::span<const FloatHistogram::Bin> bins() const { return bins_; }
  double count() const { return count_; }
  Range extremes() const { return extremes_; }

  /// Mean of (x - y)^2 where y is x quantized with these parameters: rounding inside the codes'
  /// reach, saturation outside, both integrated over each bin. Zeros are exact.
  double expected_error(const QParams& params, const CodeRange& codes) const;

 private:
  std::vector<FloatHistogram::Bin> bins_;
  double count_ = 0;
  Range extremes_;
};

}  // namespace quantlens
