// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/kept_run.h"
#include "quantlens/workspace/read_folder.h"
#include "quantlens/workspace/read_list.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::string id, folder;
  TableOptions table;
  Workspace open(Store& store) const { return {store, folder}; }
};

int list(const Arguments& arguments) {
  DiskStore store;
  const std::vector<ListedRun> runs = read_list(store, arguments.open(store));
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(runs)));
  } else if (arguments.table.is_csv()) {
    arguments.table.print(workloads_table(runs));
  } else {
    print_out(workloads_text(runs, arguments.table.view()));
  }
  return kDone;
}

int show(const Arguments& arguments) {
  DiskStore store;
  const Workspace workspace = arguments.open(store);
  const RunRecords records = read_run(store, workspace, workspace.find(arguments.id).id);
  const RunFolder folder = read_folder(store, workspace, records.run);
  const RunView view = arguments.table.view();
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(kept_run(records, folder))));
  } else if (!arguments.table.is_csv()) {
    print_out(kept_run_text(records, folder, view));
  } else {
    arguments.table.print(
        run_table(records, view).value_or(workloads_table({listed_run(records.run, {})})));
  }
  return kDone;
}

int remove(const Arguments& arguments) {
  DiskStore store;
  Workspace workspace = arguments.open(store);
  const std::string id = workspace.folder(arguments.id).filename().string();
  workspace.remove(id);
  print_out(fmt::format("deleted {}\n", id));
  return kDone;
}

}  // namespace

void add_workloads(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb =
      program.add_subcommand("workloads", "List, show or delete the runs that are kept");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("--workspace", arguments->folder,
                   "Look for runs in this folder (default: $QUANTLENS_WORKSPACE, else quantlens in "
                   "$XDG_DATA_HOME or ~/.local/share)")
      ->check(offers_folders());
  arguments->table.add_to(*verb);
  verb->require_subcommand(0, 1);
  verb->fallthrough();
  const auto add = [&](const char* name, const char* what, int (*run)(const Arguments&),
                       bool with_id) {
    CLI::App* part = verb->add_subcommand(name, what);
    part->fallthrough();
    if (with_id)
      part->add_option("ID", arguments->id,
                       "The workload's id, the beginning of it, its name, or the word last")
          ->check(offers_runs())
          ->required();
    part->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
  };
  add("list", "List all runs, newest first", list, false);
  add("show", "Show one run, its files, and what it found", show, true);
  add("delete", "Delete a run's folder", remove, true);
  verb->footer("Example:\n  quantlens workloads show last");
  verb->callback([=, &chosen] {
    if (verb->get_subcommands().empty()) chosen = [=] { return list(*arguments); };
  });
}

}  // namespace quantlens::cli
