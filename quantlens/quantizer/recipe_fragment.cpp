// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe_fragment.h"

#include "quantlens/base/yaml.h"
#include "quantlens/quantizer/read_recipe.h"
#include "quantlens/record/recipe_document.h"

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

}  // namespace

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
