// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_origin.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/shell_word.h"
#include "quantlens/base/words.h"
#include "quantlens/record/recipe_document.h"
#include "quantlens/report/report_findings.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostOptions = 8;  // of a recipe, one by one

/// Of a document in one line: where a value that begins with a slash ends.
constexpr std::string_view kValueEnds = " ,\"'{}[]\n";

/// "/srv/imagenet/val" becomes "val", wherever it stands in a document of data.
std::string document_without_folders(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kValueEnds), text.size());
    const std::string_view value = text.substr(0, end);
    made += value.starts_with('/') ? file_name_of(std::string(value)) : std::string(value);
    if (end < text.size()) made += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

/// "--data=/srv/a.npz" becomes "--data=a.npz", "command:/srv/score" "command:score". What holds a
/// document, as a recipe with names of ops, stays.
std::string word_without_folders(const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos || word.find('{') != std::string::npos) return word;
  const std::size_t before = word.find_last_of("=:", slash);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return word.substr(0, begin) + file_name_of(word.substr(begin));
}

bool names_data(std::string_view option) {
  return option == "--data" || option == "--calibration-data";
}

std::string data_text(const DataUsed& data) {
  const std::string which =
      data.path.empty() ? document_without_folders(data.data) : file_name_of(data.path);
  std::string text = fmt::format("{}, {}", which, counted(data.samples, "sample"));
  if (data.part) text += fmt::format(", of them {} from {}", data.part->count, data.part->first);
  return text;
}

/// What is asked for otherwise than by a recipe that says nothing.
std::string recipe_text(const Recipe& recipe) {
  const auto usual = recipe_options(Recipe());
  std::string text;
  std::size_t shown = 0, others = 0;
  for (const auto& [path, value] : recipe_options(recipe)) {
    const auto found = usual.find(path);
    if (found != usual.end() && found->second == value) continue;
    if (shown == kMostOptions) {
      ++others;
      continue;
    }
    const auto* said = value.if_string();
    text += fmt::format("{}{}: {}", shown++ == 0 ? "" : "; ", path,
                        said != nullptr ? std::string(*said) : json::line(value));
  }
  if (others > 0) text += fmt::format("; {} more", others);
  return text.empty() ? "default" : text;
}

}  // namespace

std::string command_without_folders(const std::vector<std::string>& arguments) {
  std::string command = "quantlens";
  bool is_data = false;
  for (const std::string& word : arguments) {
    const bool holds_document = word.find('{') != std::string::npos;
    const bool is_own = is_data || names_data(word.substr(0, word.find('=')));
    command += ' ' + shell_word(holds_document && is_own ? document_without_folders(word)
                                                         : word_without_folders(word));
    is_data = names_data(word);
  }
  return command;
}

Table run_origin_table(const Workload& run, const Recipe* recipe) {
  constexpr std::size_t kShort = 12;  // digits that tell files apart
  Table table{.title = "Run", .columns = {{"What"}, {"Which"}}, .rows = {}};
  table.rows.push_back({"Id", run.id});
  table.rows.push_back({"Verb", run.verb});
  for (const ModelFile& model : run.models) {
    table.rows.push_back(
        {fmt::format("Model, {}", word(model.role)),
         fmt::format("{}, SHA-256 {}", file_name_of(model.path), model.sha256.substr(0, kShort))});
  }
  for (const DataUsed& data : run.data) {
    const bool is_calibration = data.role == DataRole::calibration;
    table.rows.push_back({is_calibration ? "Data, calibration" : "Data", data_text(data)});
  }
  if (!run.metric.empty()) table.rows.push_back({"Metric", word_without_folders(run.metric)});
  if (recipe != nullptr) table.rows.push_back({"Recipe", recipe_text(*recipe)});
  if (!run.arguments.empty())
    table.rows.push_back({"Command", command_without_folders(run.arguments)});
  const auto version = run.environment.find("quantlens");
  table.rows.push_back(
      {"Version", version == run.environment.end() ? std::string() : version->second});
  table.rows.push_back({"When", run.created});
  return table;
}

}  // namespace quantlens
