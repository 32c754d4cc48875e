// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quant/distribution.h"
#include "quantlens/quant/scheme.h"

namespace quantlens {

// All of these: never beyond the distribution's extremes and zero. REQUIRES: it has elements.

/// The range that leaves out a share of 1 - `kept` of the elements, half of it on each side; of a
/// symmetric scheme, the elements of greatest magnitude. Exact to a bin of the histogram. Where
/// only one value is left, nearly all are equal: the extremes. REQUIRES: 0 < kept <= 1.
Range percentile_range(const Distribution& values, double kept, bool symmetric);

/// The range whose quantized distribution tells most of the original one: the least
/// Kullback-Leibler divergence over 128 candidates, from the extremes down to 1/32 of them. What is
/// beyond a candidate counts at its ends; of 2,048 equal bins over the extremes, a code's elements
/// count as spread evenly over those that it holds (S. Migacz, "8-bit inference with TensorRT",
/// 2017; there for magnitudes, here both ends shrink alike). Candidates that saturate more than a
/// tenth of the elements are none.
Range entropy_range(const Distribution& values, const Scheme& scheme);

/// The range with the least expected squared error, each end searched for by itself.
Range least_error_range(const Distribution& values, const Scheme& scheme);

/// The expected squared error where the range is quantized with the scheme.
double expected_error(const Distribution& values, const Range& range, const Scheme& scheme);

}  // namespace quantlens
