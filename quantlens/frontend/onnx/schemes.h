// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/plan.h"

namespace quantlens::onnx {

/// Throws Errc::unsupported where the model's operators are too old for the schemes of the plan, or
/// its format is none that is written; Errc::bad_input where a scheme is none.
void check_supported(const Model& model, const Plan& plan);

}  // namespace quantlens::onnx
