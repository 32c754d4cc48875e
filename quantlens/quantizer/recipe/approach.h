// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/record/recipe.h"

namespace quantlens {

/// The approach of this word, or of the predecessors' post_training_dynamic_quant and the like.
/// Throws Errc::usage for others, naming `where`.
Approach approach_named(std::string_view word, const std::string& where);

/// Everything as it is if a recipe says nothing but its approach.
Recipe recipe_for(Approach approach);

/// Whether ranges of activations are needed, and so samples to calibrate on.
bool needs_calibration(const Recipe& recipe);

}  // namespace quantlens
