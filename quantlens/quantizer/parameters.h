// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/quantizer/make_plan.h"
#include "quantlens/quantizer/select.h"

namespace quantlens {

/// Scales and zero points for what was selected.
class Parameters {
 public:
  Parameters(const GraphIndex& index, const Prepared& prepared, const Ranges& ranges,
             const Recipe& recipe, const Target& target);

  /// Why a pattern's values have no usable range; empty if they have.
  std::string range_obstacle(const Pattern& pattern) const;

  /// The parts of a Plan that hold numbers: activations and weights. `recipes`: one a pattern.
  Plan plan(const Selection& selection, const std::vector<OpRecipe>& recipes) const;

 private:
  class Builder;

  const GraphIndex& index_;
  const Prepared& prepared_;
  const Recipe& recipe_;
  int weight_bits_;
  std::unordered_map<std::string, Range> ranges_;
};

}  // namespace quantlens
