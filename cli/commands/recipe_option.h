// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"
#include "quantlens/record/recipe.h"

namespace quantlens::cli {

/// --recipe, for verbs that plan.
class RecipeOption {
 public:
  void add_to(CLI::App& verb);
  /// The recipe asked for, or the default; notes what has no effect. `approach`: wins over what it
  /// says itself; empty: does not.
  Recipe read(Store& store, Progress& progress, const std::string& approach = {}) const;
  /// That it is read from; empty where it stands on the command line, or is not given.
  fs::path file() const;

 private:
  bool is_document() const { return text_.starts_with('{'); }

  std::string text_;
};

}  // namespace quantlens::cli
