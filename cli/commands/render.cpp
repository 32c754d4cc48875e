// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/render.h"

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

}  // namespace quantlens::cli
