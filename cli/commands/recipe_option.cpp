// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recipe_option.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/quantizer/approach.h"
#include "quantlens/quantizer/read_recipe.h"

namespace quantlens::cli {
namespace {

/// What can only be a file's name, be there one or not.
bool is_path(const fs::path& text) {
  constexpr std::array kEndings = {".yaml", ".yml", ".json"};
  return text.has_parent_path() || std::ranges::find(kEndings, text.extension()) != kEndings.end();
}

fs::path recipe_of_workload(const std::string& id, const flow::Session& session) {
  try {
    return flow::workspace_of(session).folder(id) / FileOf<Recipe>::kName;
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    throw Error(Errc::not_found,
                fmt::format("--recipe {}: there is neither such a file nor such a workload; "
                            "'quantlens workloads list' has those that there are",
                            printable(shortened(id))));
  }
}

/// A file is itself, a workload's folder or id its recipe.
fs::path file_of(const std::string& text, const flow::Session& session) {
  std::error_code none;
  const bool is_folder = fs::is_directory(text, none);
  if (!is_folder && (fs::exists(text, none) || is_path(text))) return text;
  fs::path file =
      is_folder ? fs::path(text) / FileOf<Recipe>::kName : recipe_of_workload(text, session);
  if (!fs::exists(file, none)) {
    throw Error(
        Errc::not_found,
        fmt::format("--recipe {}: holds no {}: only what quantize, calibrate and tune write "
                    "does, tune once a trial has been the best",
                    printable(text), FileOf<Recipe>::kName));
  }
  return file;
}

}  // namespace

void RecipeOption::add_to(CLI::App& verb) {
  verb.add_option("--recipe", text_,
                  "a YAML or JSON file, the document itself in braces, or an earlier workload: its "
                  "folder, its id, or last")
      ->check(not_empty());
}

std::pair<Recipe, fs::path> RecipeOption::read(const flow::Session& session,
                                               const std::string& approach) const {
  Recipe recipe = recipe_for(approach.empty() ? "static" : approach);
  fs::path file;
  std::vector<std::string> notes;
  if (text_.starts_with('{')) {
    recipe = read_recipe(text_, "--recipe", &notes, approach);
  } else if (!text_.empty()) {
    file = file_of(text_, session);
    recipe = read_recipe(session.store.read(file).text(), file.string(), &notes, approach);
  }
  for (const std::string& note : notes) session.progress.note(note);
  return {std::move(recipe), std::move(file)};
}

}  // namespace quantlens::cli
