// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/onnx/plan_edit.h"

namespace quantlens::onnx {

/// Whether an op of the plan quantizes its data anew for each input.
bool has_dynamic_ops(const Plan& plan);

/// Takes the edit of a plan, whose dynamic ops read their weights dequantized, and lets these ops
/// multiply integers: DynamicQuantizeLinear, once a value, then MatMulInteger or ConvInteger, whose
/// sums are scaled; LSTM becomes DynamicQuantizeLSTM (com.microsoft).
void use_dynamic_operators(const Model& model, const Plan& plan, PlanEdit& edit);

}  // namespace quantlens::onnx
