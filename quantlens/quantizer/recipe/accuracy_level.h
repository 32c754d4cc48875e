// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/recipe.h"

namespace quantlens {

// What a recipe asks for: what it says itself, else what its accuracy level means.

/// Of activations of which the recipe names none. fast: minmax; default, best: mse.
RangeAlgorithm usual_range_algorithm(const Recipe& recipe);

/// Of weights of which the recipe names none.
RangeAlgorithm usual_weight_algorithm(const Recipe& recipe);

/// Of weights that are multiplied. fast, default: no; best: yes, where ranges are
/// calibrated.
bool wants_smooth_quant(const Recipe& recipe);

/// fast: no; default, best: yes.
bool wants_bias_correction(const Recipe& recipe);

}  // namespace quantlens
