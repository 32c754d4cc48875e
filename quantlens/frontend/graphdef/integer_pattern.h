// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "quantlens/frontend/graphdef/plan_context.h"

namespace quantlens::graphdef {

/// The ops of a plan that one int8 op of TensorFlow stands for. One that moves codes has no weight.
struct IntegerPattern {
  std::string op;                  ///< the anchor's id
  std::size_t anchor = 0;          ///< its node
  std::vector<std::size_t> fused;  ///< nodes that it stands for, the anchor first
  std::string result;              ///< the value that it gives
  bool gives_codes = false;        ///< to all who read the result
  bool is_product = false;         ///< of matrices; else a convolution
  std::size_t weight_input = 0;
  const WeightPlan* weight = nullptr;
  Tensor bias;
  bool has_relu = false;
  float most = std::numeric_limits<float>::infinity();  ///< what the activation lets through
};

/// Of an op that the plan computes on codes; `folded`: ids of the ops that disappear. What the op
/// cannot take in (an activation of other bounds, a Sub) stays a float op behind it, where it is a
/// product. Throws Errc::bad_input where the plan does not fit, Errc::unsupported where TensorFlow
/// has no such op.
IntegerPattern integer_pattern(const PlanContext& context, const OpPlan& op,
                               const std::set<std::string>& folded);

}  // namespace quantlens::graphdef
