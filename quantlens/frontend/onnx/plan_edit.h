// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/onnx.h"

namespace quantlens::onnx {

/// What a Plan changes in a file; the integer weights are made when they are written.
struct PlanEdit {
  Edit edit;
  std::vector<NewWeight> weights;
  std::vector<std::string> notes;  ///< what the format of the plan could not say
};

/// REQUIRES: `model` and `plan` outlive what is returned.
/// Throws Errc::bad_input where the plan does not fit the model, Errc::unsupported where the
/// model's operator set has no words for it.
PlanEdit plan_edit(const Model& model, const Plan& plan);

}  // namespace quantlens::onnx
