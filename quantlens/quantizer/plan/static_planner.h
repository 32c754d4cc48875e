// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "quantlens/quantizer/plan/make_plan.h"

namespace quantlens {

/// Decides which ops compute on codes whose parameters are fixed beforehand: first by the graph and
/// the recipe alone, then, with ranges, for good.
class StaticPlanner {
 public:
  /// Both must outlive it. Throws Errc::usage for a recipe that asks for something impossible.
  StaticPlanner(const Analyzed& analyzed, const Recipe& recipe);
  ~StaticPlanner();
  StaticPlanner(const StaticPlanner&) = delete;
  StaticPlanner& operator=(const StaticPlanner&) = delete;

  /// Anchors that nothing makes static, though the recipe would let them.
  std::set<std::size_t> impossible() const;
  /// The values that the plan stores as codes, or those they are moved from.
  std::set<std::string> values() const;
  /// Those that any choice of ops in float may leave so.
  std::set<std::string> all_values() const;
  /// Those of `values` that ops of 16 bits read or make.
  std::map<std::string, Scheme> wide_values() const;
  /// Of `values`, what is asked for them as activations.
  std::map<std::string, TensorRecipe> activations() const;
  PlanResult plan(const Ranges& ranges, const Target& target) const;

 private:
  class Decisions;
  std::unique_ptr<const Decisions> decisions_;
};

}  // namespace quantlens
