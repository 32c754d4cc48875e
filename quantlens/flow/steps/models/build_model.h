// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/flow/steps/models/given_ranges.h"
#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/recipe.h"
#include "quantlens/runtime/closing.h"

namespace quantlens::flow {

/// What quantized models are built from.
struct FloatModel {
  const Analyzed& analyzed;  ///< the edited one, where there is one
  const EditedFloat* edited = nullptr;
};

/// Decides for every op on this machine, and corrects biases where the recipe asks for that and
/// there are statistics. `edited`: as FloatModel has it.
PlanResult plan_for(const Draft& draft, const GivenRanges& given, const EditedFloat* edited);

/// Writes the model that a plan describes, its recipe among its metadata; all or nothing. Gives
/// notes.
std::vector<std::string> write_quantized(const FloatModel& from, const Plan& plan,
                                         const Recipe& recipe, const Session& session,
                                         const fs::path& path);

/// A quantized model that was written.
struct Written {
  std::vector<std::string> notes;
  /// As it was read back to be held against the plan, and the Run of it alone, as `open` gives it
  /// for this session. Null where that was not done.
  std::unique_ptr<const Model> model;
  ClosingRun run = {};
};

/// The same, and then holds the graph that the runtime really runs against the plan (check_plan.h).
/// Where it quantizes a weight that is planned in float, or computes a MatMul in float that is
/// planned in integers, the file is written once more with a guard at that op
/// (quantizer/plan/guard_float.h, guard_integer.h). What still runs otherwise is told by a note,
/// and `plan` says what runs. Throws Errc::failed, without the file, where the runtime refuses it.
Written write_as_planned(const FloatModel& from, Plan& plan, const Recipe& recipe,
                         const Session& session, const fs::path& path);

}  // namespace quantlens::flow
