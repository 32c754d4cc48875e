// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quantizer/plan/make_plan.h"

namespace quantlens {

/// Decides for every op where weights alone become codes of 4 or 8 bits, in blocks with a scale
/// each: constant matrices that a MatMul or Gemm multiplies by, and tables that a Gather looks up.
/// All computes in float, and nothing is calibrated.
PlanResult plan_weight_only(const Analyzed& analyzed, const Recipe& recipe);

}  // namespace quantlens
