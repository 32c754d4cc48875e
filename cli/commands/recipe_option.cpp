// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recipe_option.h"

#include "quantlens/quantizer/read_recipe.h"

namespace quantlens::cli {

void RecipeOption::add_to(CLI::App& verb) {
  verb.add_option("--recipe", text_, "a YAML or JSON file, or the document itself in braces")
      ->check(not_empty());
}

Recipe RecipeOption::read(Store& store, Progress& progress) const {
  Recipe recipe;
  std::vector<std::string> notes;
  if (is_document()) {
    recipe = read_recipe(text_, "--recipe", &notes);
  } else if (!text_.empty()) {
    recipe = read_recipe(store.read(text_).text(), text_, &notes);
  }
  for (const std::string& note : notes) progress.note(note);
  return recipe;
}

fs::path RecipeOption::file() const {
  return is_document() ? fs::path() : fs::path(text_);
}

}  // namespace quantlens::cli
