// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/recipe_document.h"

#include <utility>

#include <fmt/format.h>

namespace quantlens {
namespace {

/// What is absent is not said.
void drop_nulls(json::Value& value) {  // NOLINT(misc-no-recursion): as deep as a recipe is
  if (!value.is_object()) return;
  boost::json::object kept;
  for (auto& entry : value.get_object()) {
    if (entry.value().is_null()) continue;
    drop_nulls(entry.value());
    kept[entry.key()] = std::move(entry.value());
  }
  value = std::move(kept);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a recipe is
void flatten(const json::Value& value, const std::string& path,
             std::map<std::string, json::Value>& options) {
  const auto* members = value.if_object();
  if (members == nullptr || members->empty()) {
    if (!path.empty()) options.emplace(path, value);
    return;
  }
  for (const auto& member : *members) {
    const std::string key(member.key());
    flatten(member.value(), path.empty() ? key : fmt::format("{}.{}", path, key), options);
  }
}

}  // namespace

json::Value recipe_document(const Recipe& recipe) {
  json::Value document = json::encode(recipe);
  boost::json::object& switches = document.get_object()["recipes"].get_object();
  switches.erase("smooth_quant_alphas");
  if (!recipe.recipes.smooth_quant_alphas.empty()) {
    switches["smooth_quant_args"] = {{"alpha", json::encode(recipe.recipes.smooth_quant_alphas)}};
  }
  drop_nulls(document);
  // It says nothing of the model, so that recipes that do not ask for it are as they were before.
  if (!recipe.tensorboard) document.get_object().erase("tensorboard");
  return document;
}

void to_recipe_fields(json::Value& document) {
  boost::system::error_code none;
  const json::Value* alphas = document.find_pointer("/recipes/smooth_quant_args/alpha", none);
  if (alphas != nullptr && !alphas->is_null()) {
    json::Value copy = *alphas;  // of what stands in the document that is changed
    document.at("recipes").get_object()["smooth_quant_alphas"] = std::move(copy);
  }
}

std::map<std::string, json::Value> recipe_options(const Recipe& recipe) {
  std::map<std::string, json::Value> options;
  flatten(recipe_document(recipe), "", options);
  return options;
}

Recipe recipe_of_document(json::Value document, std::string_view where) {
  to_recipe_fields(document);
  return json::decode<Recipe>(document, where);
}

}  // namespace quantlens
