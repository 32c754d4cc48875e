// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "quantlens/record/recipe.h"

namespace quantlens::cli {

/// --recipe, for verbs that plan.
class RecipeOption {
 public:
  void add_to(CLI::App& verb);
  /// The recipe asked for, each document laid over those before it, or the default, and the files
  /// that it was read from; notes what has no effect. `approach`: wins over what documents say;
  /// empty: does not.
  std::pair<Recipe, std::vector<fs::path>> read(const flow::Session& session,
                                                const std::string& approach = {}) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace quantlens::cli
