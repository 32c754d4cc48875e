// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// The recipe with all that `fragment` says, a document of read_recipe's, laid over it: mappings
/// entry by entry, anything else in place of what was there; a null says nothing. Gathers notes,
/// throws and reads `approach` as read_recipe does.
Recipe with_fragment(const Recipe& recipe, std::string_view fragment, std::string_view where,
                     std::vector<std::string>* notes = nullptr,
                     std::optional<Approach> approach = {});

/// Likewise of a document that is parsed already.
Recipe with_document(const Recipe& recipe, const json::Value& document, std::string_view where,
                     std::vector<std::string>* notes = nullptr,
                     std::optional<Approach> approach = {});

/// A document of read_recipe's, and what messages call it.
struct RecipeText {
  std::string text;
  std::string where;
};

/// The first document's recipe with the others laid over it in their order; without any the default
/// one. All are read as for one approach: `approach`, else that of the last document that says one.
/// Notes (of all documents) and errors as read_recipe has them.
Recipe read_recipes(std::span<const RecipeText> documents, std::vector<std::string>* notes,
                    std::optional<Approach> approach);

/// A pattern that matches this name alone.
std::string pattern_of(std::string_view name);

}  // namespace quantlens
