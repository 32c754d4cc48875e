// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/plan.h"

namespace quantlens::flow {

/// How an op that does not run as planned runs.
enum class Runs {
  in_float,    ///< planned in integers, and computed in float
  on_codes,    ///< planned in float; it has no weight, and is computed on the codes around it
  with_codes,  ///< planned in float, and its weight was quantized by the runtime
};

/// An op that does not run as planned.
struct Deviation {
  std::size_t op = 0;  ///< its number in Plan::ops
  Runs runs = Runs::in_float;
  std::string kernel;  ///< type of the node that runs instead: "QLinearConv"
};

/// Holds the graph that a runtime really runs (`run`, runtime/deployed.h) against the plan. `file`:
/// the graph of the file that was written by it. Looks at what a plan says of int8 and fp32, and of
/// a pattern at the op that it is named after; what the runtime dropped or computed while loading
/// is as planned. `able`: of that runtime. Linear in the number of ops.
std::vector<Deviation> check_plan(const Plan& plan, const Graph& file, const Graph& run,
                                  const Capabilities& able);

/// Has the plan say what runs: precision and reason of these ops. Gives a sentence for each kind,
/// with names.
std::vector<std::string> tell_deviations(const std::vector<Deviation>& deviations, Plan& plan);

}  // namespace quantlens::flow
