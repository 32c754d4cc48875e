// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/compare.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/version.h"
#include "quantlens/report/comparison_gate.h"
#include "quantlens/report/comparison_text.h"
#include "server/offline/write_comparison.h"

namespace quantlens::cli {
namespace {

struct CompareArguments {
  std::string a, b, output, fail_on;
  StoredRunOptions stored;
  TableOptions table;
};

void print(const Comparison& comparison, const TableOptions& options) {
  if (options.is_json()) return print_object(comparison_json(comparison));
  if (options.is_csv()) return options.print(compared_ops_table(comparison));
  print_out(comparison_text(comparison, options.view()));
}

/// Says what is worse, where that was asked for.
int compare_code(const Comparison& comparison, const std::string& fail_on) {
  if (fail_on.empty()) return kDone;
  const WorseVerdict verdict = worse_gate(comparison);
  if (!verdict.reached) print_err(fmt::format("quantlens: {}\n", verdict.because));
  return verdict.reached ? kDone : kGoalMissed;
}

int run_compare(const CompareArguments& arguments) {
  if (!arguments.output.empty()) {
    server::check_comparison_file(arguments.output);
    flow::check_destination({.path = arguments.output, .is_model = false}, {});
  }
  DiskStore store;
  Workspace workspace = arguments.stored.workspace(store);
  TerminalProgress progress = arguments.stored.make_progress();
  const Comparison comparison = flow::compare(store, workspace, arguments.a, arguments.b, progress);
  if (arguments.output.empty()) {
    print(comparison, arguments.table);
  } else {
    server::write_comparison(
        store, workspace, comparison,
        {.output = arguments.output, .version = kVersion, .assets = server::built_in_assets()},
        progress);
    print_out(fmt::format("wrote {}\n", printable(arguments.output)));
  }
  return compare_code(comparison, arguments.fail_on);
}

}  // namespace

void add_compare(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "compare", "Say what is different in the second of two stored runs; nothing is run");
  auto arguments = std::make_shared<CompareArguments>();
  verb->add_option("A", arguments->a,
                   "The first run: its id, the beginning of it, its name, or the word last")
      ->check(offers_runs())
      ->required()
      ->check(not_empty());
  verb->add_option("B", arguments->b, "The second run: what is better or worse in it is told")
      ->check(offers_runs())
      ->required()
      ->check(not_empty());
  verb->add_option("-o", arguments->output,
                   "Write this file instead (default: none). Its ending says what it is: .html is "
                   "all pages of both runs beside each other, .md a comment for a pull request, "
                   ".json the record, .csv all ops")
      ->check(offers_files())
      ->check(not_empty());
  verb->add_option("--fail-on", arguments->fail_on,
                   "Exit with 3 on this: worse, if an activation or the accuracy is told as worse "
                   "in B (default: never)")
      ->check(one_of({"worse"}));
  arguments->table.add_to(*verb);
  arguments->stored.add_to(*verb);
  verb->footer("Example:\n  quantlens compare 20261121-113045 last");
  verb->callback([=, &chosen] { chosen = [=] { return run_compare(*arguments); }; });
}

}  // namespace quantlens::cli
