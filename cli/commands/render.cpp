// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/render.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/json.h"

namespace quantlens::cli {

void print_run(const RunRecords& records, const TableOptions& options, const std::string& after,
               const RunView& view) {
  if (options.is_json()) return print_object(run_json(records));
  if (!options.is_csv()) return print_out(run_text(records, view) + told(after, view));
  if (const std::optional<Table> table = run_table(records, view)) options.print(*table);
}

void print_run(const RunRecords& records, const TableOptions& options, const std::string& after) {
  print_run(records, options, after, options.view());
}

std::string workload_line(const RunRecords& records, const fs::path& folder) {
  return fmt::format("workload: {}  ({})\n", records.run.id, folder.string());
}

void print_object(const boost::json::object& object) {
  print_out(json::dump(object));
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-+,:=@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace quantlens::cli
