// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/remedy_use.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/render.h"
#include "quantlens/base/shell_word.h"
#include "quantlens/base/text.h"
#include "quantlens/record/files.h"
#include "quantlens/report/cell.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::cli {
namespace {

/// The file to write beside one of the same format.
std::string mended(const fs::path& like) {
  return "mended" + like.extension().string();
}

/// With another file to write: the one that was diagnosed stays.
std::vector<std::string> writing_another(std::vector<std::string> command_line,
                                         const std::string& file) {
  const std::string option = "-o";
  for (auto word = command_line.begin(); word != command_line.end(); ++word) {
    if (*word == option && word + 1 != command_line.end()) {
      *++word = file;
      return command_line;
    }
    if (word->starts_with(option)) {
      *word = option + file;
      return command_line;
    }
  }
  command_line.insert(command_line.end(), {option, file});
  return command_line;
}

std::string word(const std::string& text) {
  return printable(shell_word(text));
}

std::string recipe_option(const fs::path& path) {
  return " --recipe " + word(path.string());
}

std::string ends_options(const Ends& ends) {
  std::string text;
  if (!ends.inputs.empty())
    text += " --inputs " + word(fmt::format("{}", fmt::join(ends.inputs, ",")));
  if (!ends.outputs.empty())
    text += " --outputs " + word(fmt::format("{}", fmt::join(ends.outputs, ",")));
  return text;
}

/// The samples, and how many a step, as they were chosen.
std::string data_options(const flow::DataChoice& choice) {
  const DataOptions& options = choice.options;
  std::string text = " --data " + (choice.data.empty() ? "DATA" : word(choice.data));
  if (options.limit) text += fmt::format(" --limit {}", *options.limit);
  if (options.batch_size) text += fmt::format(" --batch-size {}", *options.batch_size);
  if (options.seed != 0) text += fmt::format(" --seed {}", options.seed);
  return text;
}

/// Of a run's folder, unless it is where runs are kept anyway.
std::string workspace_option(const fs::path& folder) {
  const fs::path workspace = folder.parent_path().parent_path();
  return workspace == default_workspace() ? "" : " --workspace " + word(workspace.string());
}

}  // namespace

std::optional<std::size_t> first_remedy(const ProfileRecord& pair) {
  const auto found = std::ranges::find_if(
      pair.findings, [](const SpeedFinding& finding) { return !finding.remedy.is_null(); });
  if (found == pair.findings.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pair.findings.begin()) + 1;
}

std::string again_with_remedy(const std::vector<std::string>& command_line, const fs::path& output,
                              const fs::path& folder, std::size_t number) {
  std::string command = "quantlens";
  for (const std::string& argument : writing_another(command_line, mended(output)))
    command += " " + word(argument);
  return fmt::format("To try the recipe of finding {}:\n  {}{}\n", number, command,
                     recipe_option(folder / exported::remedy(number)));
}

std::string anew_with_remedy(const Compared& compared, const fs::path& folder, std::size_t number) {
  const std::string quantized = printable(compared.quantized.string());
  const std::string what =
      compared.is_ours
          ? fmt::format("Recipes are laid over that of {}, and the float model is quantized anew. ",
                        quantized)
          : fmt::format(
                "Recipes are for quantlens quantize, which makes an int8 model of the float "
                "one; {}, which another tool made, stays as it is. ",
                quantized);
  return wrapped(fmt::format("{}To try that of finding {}:", what, number), 0) +
         fmt::format("  quantlens quantize {} -o {}{}{}{}{}{}{}\n",
                     word(compared.reference.string()), word(mended(compared.quantized)),
                     ends_options(compared.ends), data_options(compared.data),
                     compared.metric.empty() ? "" : " --metric " + word(compared.metric),
                     workspace_option(folder),
                     compared.is_ours ? recipe_option(compared.quantized) : "",
                     recipe_option(folder / exported::remedy(number)));
}

}  // namespace quantlens::cli
