// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/onnx.h"

namespace quantlens::onnx {

/// A weight in blocks: names of its tensors, and which op reads it as which input.
struct BlockUse {
  const BlockWeightPlan* plan = nullptr;
  std::string codes, scales, zero_points;  ///< no zero points: empty
  Shape matrix;                            ///< of the float weight
};

/// What a Plan changes in a file; the integer weights are made when they are written.
struct PlanEdit {
  Edit edit;
  std::vector<NewWeight> weights;
  std::map<std::pair<std::string, std::uint64_t>, BlockUse> blocks;  ///< by op and input
  std::vector<std::string> notes;  ///< what the format of the plan could not say
};

/// REQUIRES: `model` and `plan` outlive what is returned.
/// Throws Errc::bad_input where the plan does not fit the model, Errc::unsupported where the
/// model's operator set has no words for it.
PlanEdit plan_edit(const Model& model, const Plan& plan);

}  // namespace quantlens::onnx
