// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "quantlens/record/recipe.h"

namespace quantlens::cli {

/// What --recipe gave.
struct GivenRecipe {
  Recipe recipe;                   ///< each document laid over those before it, or the default
  std::vector<fs::path> files;     ///< that it was read from
  std::vector<std::string> texts;  ///< as given, but an earlier workload by the file of its recipe
};

/// --recipe, for verbs that plan.
class RecipeOption {
 public:
  void add_to(CLI::App& verb);
  /// Notes what has no effect. `approach`: wins over what documents say; absent: does not.
  GivenRecipe read(const flow::Session& session, std::optional<Approach> approach = {}) const;
  /// The recipe where no file must be read for it. Throws Errc::usage as reading does, of
  /// documents beside files as well.
  std::optional<Recipe> given_inline(std::optional<Approach> approach = {}) const;

 private:
  std::vector<std::string> texts_;
};

/// A command line that means the same later, when `last` is another workload: with the texts of
/// its recipes in their order.
std::vector<std::string> with_recipes(std::vector<std::string> command_line,
                                      const std::vector<std::string>& texts);

}  // namespace quantlens::cli
