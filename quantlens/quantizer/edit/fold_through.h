// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/order.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// An edit of the float model, before it is calibrated: constants by which the channels of a Conv,
/// ConvTranspose, Gemm or MatMul are multiplied, or that are added to them, behind a Reshape,
/// Flatten, Transpose, Squeeze or Unsqueeze are folded into the op. Those without one in between
/// are left to fold_chains.h. Empty where there are none.
Plan fold_through(const GraphIndex& index);

}  // namespace quantlens
