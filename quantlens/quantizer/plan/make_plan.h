// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// What this machine is: what a recipe's target `auto` means (TargetRow has what follows from it).
struct Target {
  bool vnni = true;  ///< 8-bit dot products without 16-bit saturation
};

/// Of the 8-bit codes that a recipe's activations become.
Scheme activation_scheme(const Recipe& recipe);

/// Which sentences a person should see: patterns of the recipe that match nothing, options without
/// effect, with the nearest names.
struct PlanResult {
  Plan plan;
  std::vector<std::string> notes;
};

class StaticPlanner;

/// What a recipe decides for a model before any range is known: what calibration has to look at.
/// Nothing of it is decided twice when ranges are there.
class Draft {
 public:
  /// `analyzed` must outlive it. Throws Errc::usage for a recipe that asks for something
  /// impossible.
  Draft(const Analyzed& analyzed, Recipe recipe);
  ~Draft();
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;

  const Analyzed& analyzed() const { return *analyzed_; }
  const Recipe& recipe() const { return *recipe_; }

  /// The values whose ranges make_plan asks for: what calibration has to tap, each once, in order.
  /// Of a value that is only moved (Reshape, Transpose) it is the one it is moved from.
  std::vector<std::string> values_to_calibrate() const;
  /// The values that recipes which keep other ops in float or in 16 bits than this one may ask for,
  /// as above: those around every op that nothing but a recipe's wish keeps in float.
  std::vector<std::string> values_to_calibrate_for_all() const;
  /// What the recipe says of each of these values as an activation: the entries for the op that
  /// computes it. Where one kernel computes several ops, each option is that of the last one that
  /// an entry gives another than the model's own.
  std::map<std::string, TensorRecipe> activation_recipes() const;
  /// Which of these values are stored in 16 bits (some of them in 8 as well), and their scheme.
  std::map<std::string, Scheme> wide_values() const;

  /// Decided when it is first asked for: dynamic and weight-only models need none of it.
  const StaticPlanner& static_planner() const;

 private:
  const Analyzed* analyzed_;
  std::unique_ptr<const Recipe> recipe_;
  mutable std::unique_ptr<const StaticPlanner> static_planner_;
};

/// Decides for every op. Never throws for what cannot be quantized: that op stays float, with the
/// reason. Throws Errc::usage for a recipe that asks for something impossible.
PlanResult make_plan(const Draft& draft, const Ranges& ranges, const Target& target);

}  // namespace quantlens
