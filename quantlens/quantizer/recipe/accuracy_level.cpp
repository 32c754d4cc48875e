// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/accuracy_level.h"

#include "quantlens/quantizer/recipe/approach.h"

namespace quantlens {

std::string usual_range_algorithm(const Recipe& recipe) {
  return recipe.accuracy_level == "fast" ? "minmax" : "mse";
}

std::string usual_weight_algorithm(const Recipe& recipe) {
  return recipe.approach == "weight_only" ? "mse" : "minmax";
}

bool wants_smooth_quant(const Recipe& recipe) {
  return recipe.recipes.smooth_quant.value_or(recipe.accuracy_level == "best" &&
                                              needs_calibration(recipe));
}

bool wants_bias_correction(const Recipe& recipe) {
  return recipe.recipes.bias_correction.value_or(recipe.accuracy_level != "fast");
}

}  // namespace quantlens
