// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "quantlens/base/json.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// A document that `--recipe` takes as this recipe: without what is absent.
json::Value recipe_document(const Recipe& recipe);

/// The same, each option by its path: "weight.granularity". An object without members is one.
std::map<std::string, json::Value> recipe_options(const Recipe& recipe);

/// The reverse, of what recipe_document gives; documents that people write need read_recipe. Throws
/// Errc::bad_input, naming `where`.
Recipe recipe_of_document(json::Value document, std::string_view where);

/// The same where a recipe is a field of what is decoded: gives the document the names of Recipe's
/// fields. One that has them already, or is no object, stays as it is.
void to_recipe_fields(json::Value& document);

}  // namespace quantlens
