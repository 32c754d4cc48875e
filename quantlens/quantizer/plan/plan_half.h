// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quantizer/plan/make_plan.h"

namespace quantlens {

/// Computes in half (fp16) what the plan leaves in float and the recipe wants so: single ops by
/// their entries, or all of them as `fallback`. An op whose numbers may not fit half, or whose kind
/// has no half, stays as it is, and its reason says so.
void add_half(const Analyzed& analyzed, const Ranges& ranges, const Recipe& recipe,
              PlanResult& result);

}  // namespace quantlens
