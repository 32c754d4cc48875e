// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/graph/model.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// Key of a quantized model's properties: the recipe that quantlens made it with.
inline constexpr const char* kRecipeKey = "quantlens.recipe";

/// What stands there: the recipe but for what is written beside the model, so that equal models
/// are equal bytes.
std::string text_to_store(const Recipe& recipe);

/// Whether quantlens made the model.
bool has_stored_recipe(const Model& quantized);

/// The recipe that quantlens made the model with, over which a remedy is laid; nothing for models
/// of others. Throws Errc::bad_input where what stands there is none.
std::optional<Recipe> stored_recipe(const Model& quantized);

/// As above, but nothing where what stands there is none.
std::optional<Recipe> readable_recipe(const Model& quantized);

}  // namespace quantlens
