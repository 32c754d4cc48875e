// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/make_plan.h"

#include <set>
#include <utility>

#include "quantlens/quantizer/plan/plan_dynamic.h"
#include "quantlens/quantizer/plan/plan_half.h"
#include "quantlens/quantizer/plan/plan_weight_only.h"
#include "quantlens/quantizer/plan/static_planner.h"
#include "quantlens/quantizer/recipe/approach.h"

namespace quantlens {
namespace {

std::vector<std::string> listed(const std::set<std::string>& values) {
  return {values.begin(), values.end()};
}

PlanResult plan_by_approach(const Draft& draft, const Ranges& ranges, const Target& target) {
  const Recipe& recipe = draft.recipe();
  if (recipe.approach == Approach::dynamic) return plan_dynamic(draft.analyzed(), recipe, target);
  if (recipe.approach == Approach::weight_only) return plan_weight_only(draft.analyzed(), recipe);
  PlanResult result = draft.static_planner().plan(ranges, target);
  if (recipe.approach == Approach::auto_) {
    add_dynamic({draft.analyzed(), recipe, target}, draft.static_planner().impossible(), result);
  }
  return result;
}

}  // namespace

Draft::Draft(const Analyzed& analyzed, Recipe recipe)
    : analyzed_(&analyzed), recipe_(std::make_unique<const Recipe>(std::move(recipe))) {}

Draft::~Draft() = default;
Draft::Draft(Draft&&) noexcept = default;
Draft& Draft::operator=(Draft&&) noexcept = default;

const StaticPlanner& Draft::static_planner() const {
  if (!static_planner_)
    static_planner_ = std::make_unique<const StaticPlanner>(*analyzed_, *recipe_);
  return *static_planner_;
}

std::vector<std::string> Draft::values_to_calibrate() const {
  if (!needs_calibration(*recipe_)) return {};
  return listed(static_planner().values());
}

std::vector<std::string> Draft::values_to_calibrate_for_all() const {
  if (!needs_calibration(*recipe_)) return {};
  return listed(static_planner().all_values());
}

std::map<std::string, Scheme> Draft::wide_values() const {
  return static_planner().wide_values();
}

std::map<std::string, TensorRecipe> Draft::activation_recipes() const {
  return static_planner().activations();
}

PlanResult make_plan(const Draft& draft, const Ranges& ranges, const Target& target) {
  PlanResult result = plan_by_approach(draft, ranges, target);
  add_half(draft.analyzed(), ranges, draft.recipe(), result);
  return result;
}

}  // namespace quantlens
