// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/recipe_fragment.h"

#include <cstddef>
#include <utility>

#include "quantlens/base/yaml.h"
#include "quantlens/quantizer/recipe/approach.h"
#include "quantlens/quantizer/recipe/predecessors.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
#include "quantlens/quantizer/recipe/recipe_section.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

/// Documents are of 32 levels at most.
void overlay(json::Value& base, const json::Value& over) {  // NOLINT(misc-no-recursion)
  if (over.is_null()) return;
  if (!base.is_object() || !over.is_object()) {
    base = over;
    return;
  }
  for (const auto& entry : over.get_object())
    overlay(base.get_object()[entry.key()], entry.value());
}

/// As recipe_document spells it, here and in the entries of single ops.
void spell_weight(json::Value& value) {
  if (!value.is_object()) return;
  boost::json::object& section = value.get_object();
  const auto spelt = section.find("weights");
  if (spelt == section.end() || section.contains("weight")) return;
  json::Value weight = std::move(spelt->value());
  section.erase(spelt);
  section["weight"] = std::move(weight);
}

/// The document in the form of recipe_document.
json::Value normalized(const json::Value& said, std::string_view where,
                       std::vector<std::string>& notes) {
  json::Value document = flattened(said, std::string(where), notes);
  spell_weight(document);
  for (const char* key : {"op_type_dict", "op_name_dict"}) {
    json::Value* ops = document.is_object() ? document.get_object().if_contains(key) : nullptr;
    if (ops == nullptr || !ops->is_object()) continue;
    for (auto& entry : ops->get_object()) spell_weight(entry.value());
  }
  return document;
}

/// What the document says itself.
std::optional<Approach> approach_in(const RecipeText& document) {
  std::vector<std::string> none;
  const json::Value value =
      normalized(parse_yaml(document.text, document.where), document.where, none);
  const json::Value* said =
      value.is_object() ? first_of(value.get_object().if_contains("approach")) : nullptr;
  if (said == nullptr || !said->is_string()) return std::nullopt;
  return approach_named(std::string_view(said->get_string()), document.where + ".approach");
}

}  // namespace

Recipe with_fragment(const Recipe& recipe, std::string_view fragment, std::string_view where,
                     std::vector<std::string>* notes, std::optional<Approach> approach) {
  return with_document(recipe, parse_yaml(fragment, where), where, notes, approach);
}

Recipe with_document(const Recipe& recipe, const json::Value& document, std::string_view where,
                     std::vector<std::string>* notes, std::optional<Approach> approach) {
  json::Value whole = recipe_document(recipe);
  std::vector<std::string> said_in_vain;
  overlay(whole, normalized(document, where, said_in_vain));
  std::vector<std::string> more;
  Recipe over = read_recipe(json::dump(whole), where, &more, approach);
  if (notes) {
    notes->insert(notes->end(), said_in_vain.begin(), said_in_vain.end());
    notes->insert(notes->end(), more.begin(), more.end());
  }
  return over;
}

Recipe read_recipes(std::span<const RecipeText> documents, std::vector<std::string>* notes,
                    std::optional<Approach> approach) {
  std::optional<Approach> one = approach;
  if (documents.size() > 1) {
    for (std::size_t i = documents.size(); i > 0 && !one; --i) {
      one = approach_in(documents[i - 1]);
    }
  }
  if (documents.empty()) return recipe_for(one.value_or(Approach::static_));
  Recipe recipe = read_recipe(documents[0].text, documents[0].where, notes, one);
  for (const RecipeText& document : documents.subspan(1)) {
    recipe = with_fragment(recipe, document.text, document.where, notes, one);
  }
  return recipe;
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
