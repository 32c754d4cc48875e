// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/onnx/plan_edit.h"

namespace quantlens::onnx {

/// Whether the plan computes an op in half.
bool has_half_ops(const Plan& plan);

/// Lets ops of the edited graph compute in half: their constants are stored so, and a Cast stands
/// where a value comes from, or goes to, an op that computes otherwise.
void use_half(const Model& model, const Plan& plan, PlanEdit& edit);

}  // namespace quantlens::onnx
