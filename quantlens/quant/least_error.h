// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/quant/params.h"

namespace quantlens {

/// Parameters, one or one a channel, and what they do to all elements together.
struct FittedParams {
  std::vector<QParams> params;
  double error = 0;       ///< sum of squared differences
  double full_error = 0;  ///< the same with the parameters for the full range
};

/// Of the parameters for the range of a float tensor and for narrower ones, those that round and
/// clip its elements with the least squared error: whole (one entry), or for each index of
/// scheme.axis. The symmetric range, or each end of an affine one, is narrowed to 40 % at most, in
/// steps of 1 % near the best; ties go to the wider range. Where the scheme uses fewer codes than
/// its dtype has, nothing is narrowed: what is clipped would take the others. REQUIRES: finite
/// values. Throws Errc::bad_input for an axis that the tensor does not have.
FittedParams least_error_params(const Tensor& values, const Scheme& scheme);

}  // namespace quantlens
