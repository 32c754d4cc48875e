// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/quantizer/plan/code_groups.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/plan/select.h"

namespace quantlens {

/// The value that this one is moved from by one Reshape, Transpose or the like; null where it is
/// computed or moved from a constant.
const std::string* moved_from(const GraphIndex& index, const std::string& value);

/// The value whose elements this one has, moved by Reshape, Transpose and the like; else itself.
std::string range_source(const GraphIndex& index, const std::string& value);

/// Of one parameter for the whole tensor. REQUIRES: the dtype is one of integers.
Scheme plain_scheme(const TensorRecipe& recipe);

/// Which weights have 7 bits: where the recipe asks for it those of int8 and uint8; else those of
/// int8 where the kernels on the CPU that it is for saturate (TargetRow), since products of uint8
/// weights are added up in 32 bits.
class ReducedWeights {
 public:
  ReducedWeights(const Capabilities& able, const Recipe& recipe, const Target& target);
  void reduce(Scheme& scheme) const;

 private:
  bool int8_, uint8_;
};

/// Notes, once, that weights have 7 bits because of the target, where no recipe asks for it.
void note_reduced(const Recipe& recipe, PlanResult& result);

/// Whether activations have 16 bits, or weights 4: no integer kernel takes them.
bool is_wide(const OpRecipe& recipe);
bool is_narrow(const OpRecipe& recipe);

/// Parameters of a weight, one or one a channel, by the recipe's algorithm. What a search gains
/// against the full range stands in `effects` of the plan.
std::vector<QParams> weight_params(const Node& node, const Tensor& weight, const Scheme& scheme,
                                   const TensorRecipe& recipe, Plan& plan);

/// Scales and zero points for what was selected.
class Parameters {
 public:
  Parameters(const GraphIndex& index, const Prepared& prepared, const Ranges& ranges,
             const Recipe& recipe, const Target& target);

  /// Why the values of a pattern that are to be codes have no usable range; empty if they have.
  std::string range_obstacle(const Pattern& pattern, const std::set<std::string>& codes) const;

  /// Why the constant that a Mul or Add reads stays float: as codes of one scale it would cost more
  /// than the codes of the result do; empty where it would not.
  std::string coarse_obstacle(const Pattern& pattern, const OpRecipe& recipe) const;

  /// Why ops that put codes together cannot have one scale for all of them, by pattern.
  std::map<std::size_t, std::string> join_obstacles(const Selection& selection) const;

  /// The parts of a Plan that hold numbers: activations and weights. `recipes`: one a pattern.
  Plan plan(const Selection& selection, const std::vector<OpRecipe>& recipes) const;

 private:
  class Builder;
  CodeGroups groups(const Selection& selection) const;
  /// Of the codes of either width; null: none.
  const Range* find_range(const std::string& value, bool wide = false) const;

  const GraphIndex& index_;
  const Prepared& prepared_;
  ReducedWeights reduced_;
  std::unordered_map<std::string, Range> ranges_, wide_ranges_;
  std::unordered_map<std::string, std::size_t> ranks_;  // of values, where known
};

}  // namespace quantlens
