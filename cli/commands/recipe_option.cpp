// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recipe_option.h"

#include "quantlens/quantizer/approach.h"
#include "quantlens/quantizer/read_recipe.h"

namespace quantlens::cli {

void RecipeOption::add_to(CLI::App& verb) {
  verb.add_option("--recipe", text_, "a YAML or JSON file, or the document itself in braces")
      ->check(not_empty());
}

Recipe RecipeOption::read(Store& store, Progress& progress, const std::string& approach) const {
  Recipe recipe = recipe_for(approach.empty() ? "static" : approach);
  std::vector<std::string> notes;
  if (is_document()) {
    recipe = read_recipe(text_, "--recipe", &notes, approach);
  } else if (!text_.empty()) {
    recipe = read_recipe(store.read(text_).text(), text_, &notes, approach);
  }
  for (const std::string& note : notes) progress.note(note);
  return recipe;
}

fs::path RecipeOption::file() const {
  return is_document() ? fs::path() : fs::path(text_);
}

}  // namespace quantlens::cli
