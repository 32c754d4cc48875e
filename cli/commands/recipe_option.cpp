// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recipe_option.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/base/yaml.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens::cli {
namespace {

constexpr const char* kOption = "--recipe";

/// What can only be a file's name, be there one or not.
bool is_path(const fs::path& text) {
  constexpr std::array kEndings = {".yaml", ".yml", ".json", ".onnx", ".pb"};
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

/// A document, or that in a quantized model.
std::string text_in(const fs::path& file, const flow::Session& session) {
  const bool is_model = file.extension() == ".onnx" || file.extension() == ".pb";
  if (!is_model) return std::string(session.store.read(file).text());
  const std::optional<Recipe> recipe = stored_recipe(frontend::read(file));
  if (recipe) return json::dump(recipe_document(*recipe));
  throw Error(
      Errc::not_found,
      fmt::format("--recipe {}: the model holds no recipe, since quantlens did not quantize "
                  "it; give the file of a recipe, or an earlier workload",
                  printable(file.string())));
}

bool is_document(const std::string& text) {
  return text.starts_with('{');
}

void drop_nulls(json::Value& value) {  // NOLINT(misc-no-recursion): parse_yaml bounds its depth
  auto* object = value.if_object();
  if (object == nullptr) return;
  for (auto member = object->begin(); member != object->end();) {
    if (member->value().is_null()) {
      member = object->erase(member);
    } else {
      drop_nulls(member->value());
      ++member;
    }
  }
}

/// A null says nothing, where a file that is not read may say something.
std::string without_nulls(const std::string& document, const char* where) {
  json::Value value = parse_yaml(document, where);
  drop_nulls(value);
  return json::dump(value);
}

}  // namespace

void RecipeOption::add_to(CLI::App& verb) {
  verb.add_option_function<std::string>(
          kOption, [this](const std::string& text) { texts_.push_back(text); },
          "Use this recipe: a YAML or JSON file, the document itself in braces, an "
          "earlier workload (its folder, its id, or last), or a model that quantlens "
          "quantized (default: the values in docs/recipes.md). Give it again to lay one "
          "recipe over another, such as a remedy over your own")
      ->check(offered({.files = true, .runs = true}))
      ->trigger_on_parse()
      ->check(not_empty());
}

std::optional<Recipe> RecipeOption::given_inline(std::optional<Approach> approach) const {
  const bool is_known = std::ranges::all_of(texts_, is_document);
  std::vector<RecipeText> documents;
  for (const std::string& text : texts_) {
    const std::string known = is_document(text) ? text : "{}";  // a file may say anything
    documents.push_back(
        {.text = is_known ? known : without_nulls(known, kOption), .where = kOption});
  }
  Recipe recipe = read_recipes(documents, nullptr, approach);
  return is_known ? std::optional(std::move(recipe)) : std::nullopt;
}

GivenRecipe RecipeOption::read(const flow::Session& session,
                               std::optional<Approach> approach) const {
  std::vector<RecipeText> documents;
  GivenRecipe given;
  for (const std::string& text : texts_) {
    given.texts.push_back(text);
    if (is_document(text)) {
      documents.push_back({.text = text, .where = kOption});
      continue;
    }
    const fs::path& file = given.files.emplace_back(file_of(text, session));
    given.texts.back() = file.string();
    documents.push_back({.text = text_in(file, session), .where = file.string()});
  }
  std::vector<std::string> notes;
  given.recipe = read_recipes(documents, &notes, approach);
  for (const std::string& note : notes) session.progress.note(note);
  return given;
}

std::vector<std::string> with_recipes(std::vector<std::string> command_line,
                                      const std::vector<std::string>& texts) {
  const std::string option = kOption;
  auto text = texts.begin();
  for (auto word = command_line.begin(); word != command_line.end() && text != texts.end();
       ++word) {
    if (word->starts_with(option + "=")) {
      *word = option + "=" + *text++;
    } else if (*word == option && word + 1 != command_line.end()) {
      *++word = *text++;
    }
  }
  return command_line;
}

}  // namespace quantlens::cli
