// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/record/plan.h"

namespace quantlens::graphdef {

/// What a plan changes in a graph's file; integer weights are made when they are written.
/// REQUIRES: `file` and `plan` outlive what is returned. Throws Errc::bad_input where the plan does
/// not fit the model, Errc::unsupported where TensorFlow has no ops for it.
Edit plan_edit(const GraphFile& file, const Plan& plan);

}  // namespace quantlens::graphdef
