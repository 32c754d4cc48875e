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

/// A tensor of codes. REQUIRES: `check_supported` let the dtype pass.
Tensor codes_tensor(DType dtype, const Shape& shape, const std::vector<std::int32_t>& codes);

}  // namespace quantlens::onnx
