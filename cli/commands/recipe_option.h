// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "cli/command.h"
#include "quantlens/record/recipe.h"

namespace quantlens::cli {

/// --recipe, for verbs that plan.
class RecipeOption {
 public:
  void add_to(CLI::App& verb);
  /// The recipe asked for, or the default, and the file that it was read from, empty where there is
  /// none; notes what has no effect. `approach`: wins over what it says itself; empty: does not.
  std::pair<Recipe, fs::path> read(const flow::Session& session,
                                   const std::string& approach = {}) const;

 private:
  std::string text_;
};

}  // namespace quantlens::cli
