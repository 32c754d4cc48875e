// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/accuracy_level.h"

#include "quantlens/quantizer/recipe/approach.h"

namespace quantlens {

RangeAlgorithm usual_range_algorithm(const Recipe& recipe) {
  return recipe.accuracy_level == AccuracyLevel::fast ? RangeAlgorithm::minmax
                                                      : RangeAlgorithm::mse;
}

RangeAlgorithm usual_weight_algorithm(const Recipe& recipe) {
  return recipe.approach == Approach::weight_only ? RangeAlgorithm::mse : RangeAlgorithm::minmax;
}

bool wants_smooth_quant(const Recipe& recipe) {
  return recipe.recipes.smooth_quant.value_or(recipe.accuracy_level == AccuracyLevel::best &&
                                              needs_calibration(recipe));
}

bool wants_bias_correction(const Recipe& recipe) {
  return recipe.recipes.bias_correction.value_or(recipe.accuracy_level != AccuracyLevel::fast);
}

}  // namespace quantlens
