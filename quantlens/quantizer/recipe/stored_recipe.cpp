// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/stored_recipe.h"

#include <string>

#include <boost/json/serialize.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace quantlens {

std::string text_to_store(const Recipe& recipe) {
  json::Value document = json::encode(recipe);
  document.get_object().erase("tensorboard");
  return boost::json::serialize(document);
}

bool has_stored_recipe(const Model& quantized) {
  return quantized.metadata.contains(kRecipeKey);
}

std::optional<Recipe> stored_recipe(const Model& quantized) {
  const auto found = quantized.metadata.find(kRecipeKey);
  if (found == quantized.metadata.end()) return std::nullopt;
  const std::string where = quantized.path.string() + ": " + kRecipeKey;
  return json::decode<Recipe>(json::parse(found->second, where), where);
}

std::optional<Recipe> readable_recipe(const Model& quantized) {
  try {
    return stored_recipe(quantized);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace quantlens
