// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "quantlens/quantizer/plan/make_plan.h"

namespace quantlens {

/// Decides for every op where data are quantized anew for each input: a MatMul, Gemm, Conv or LSTM
/// with a constant weight multiplies integers, all others stay float. Nothing is calibrated.
PlanResult plan_dynamic(const Analyzed& analyzed, const Recipe& recipe, const Target& target);

/// What a plan is made from, ranges apart.
struct PlanInputs {
  const Analyzed& analyzed;
  const Recipe& recipe;
  const Target& target;
};

/// Makes dynamic, in a static plan, what of these nodes can be.
void add_dynamic(const PlanInputs& inputs, const std::set<std::size_t>& nodes, PlanResult& result);

}  // namespace quantlens
