// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/onnx/plan_edit.h"

namespace quantlens::onnx {

/// Turns what a plan means as QuantizeLinear and DequantizeLinear around the ops into integer
/// operators that read and give the codes: each op between such a pair becomes the operator that
/// does the same (qoperator_rules.h). An op without one stays as it is, between its pair. The
/// tensors of codes keep their names. Adds to `edit.notes` which ops of the plan stay in float.
void use_integer_operators(const Model& model, const Plan& plan, PlanEdit& edit);

}  // namespace quantlens::onnx
