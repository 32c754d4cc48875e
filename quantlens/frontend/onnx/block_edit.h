// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/onnx/plan_edit.h"

namespace quantlens::onnx {

/// Lets ops read their weights in blocks: MatMul and Gemm become MatMulNBits, Gather becomes
/// GatherBlockQuantized (both com.microsoft). Throws Errc::bad_input where the plan asks it of
/// others.
void use_block_operators(const Model& model, PlanEdit& edit);

}  // namespace quantlens::onnx
