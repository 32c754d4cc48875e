// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe_document.h"

#include <utility>

#include "quantlens/base/yaml.h"
#include "quantlens/quantizer/read_recipe.h"

namespace quantlens {
namespace {

/// Documents are of 32 levels at most.
void overlay(json::Value& base, const json::Value& over) {  // NOLINT(misc-no-recursion)
  if (!base.is_object() || !over.is_object()) {
    base = over;
    return;
  }
  for (const auto& entry : over.get_object())
    overlay(base.get_object()[entry.key()], entry.value());
}

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

}  // namespace

json::Value recipe_document(const Recipe& recipe) {
  json::Value document = json::encode(recipe);
  boost::json::object& switches = document.get_object()["recipes"].get_object();
  switches.erase("smooth_quant_alphas");
  if (!recipe.recipes.smooth_quant_alphas.empty()) {
    switches["smooth_quant_args"] = {{"alpha", json::encode(recipe.recipes.smooth_quant_alphas)}};
  }
  drop_nulls(document);
  return document;
}

Recipe with_fragment(const Recipe& recipe, std::string_view fragment, std::string_view where) {
  json::Value document = recipe_document(recipe);
  const json::Value over = parse_yaml(fragment, where);
  if (!over.is_null()) overlay(document, over);
  return read_recipe(json::dump(document), where);
}

std::string pattern_of(std::string_view name) {
  constexpr std::string_view kSpecial = R"(.[]{}()\*+?|^$)";
  std::string pattern;
  for (const char c : name) {
    if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace quantlens
