// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"
#include "quantlens/record/recipe.h"

namespace quantlens::cli {

/// A recipe, and the file that it was read from; that is empty where there is none.
struct ChosenRecipe {
  Recipe recipe;
  fs::path file;
};

/// --recipe, for verbs that plan.
class RecipeOption {
 public:
  void add_to(CLI::App& verb);
  /// The recipe asked for, or the default; notes what has no effect. `approach`: wins over what it
  /// says itself; empty: does not.
  ChosenRecipe read(const flow::Session& session, const std::string& approach = {}) const;

 private:
  std::string text_;
};

}  // namespace quantlens::cli
