// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/version.h"
#include "quantlens/report/comparison_text.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/report_file.h"

namespace quantlens::cli {
namespace {

struct CompareArguments {
  std::string a, b, output, fail_on;
  StoredRunOptions stored;
  TableOptions table;
};

/// What the file is made of.
struct ToWrite {
  DiskStore& store;
  Workspace& workspace;
  const Comparison& comparison;
  Progress& progress;
};

std::string comparison_html(const ToWrite& from) {
  std::vector<RunRecords> runs;
  for (const std::string& id : {from.comparison.a.id, from.comparison.b.id}) {
    if (runs.empty() || runs.front().run.id != id)
      runs.push_back(read_run(from.store, from.workspace, id));
  }
  return server::report_file(from.store, from.workspace,
                             {.runs = runs,
                              .gates = {},
                              .version = kVersion,
                              .compared = true,
                              .assets = server::built_in_assets()},
                             from.progress);
}

struct ComparisonFormat {
  std::string_view ending;
  std::string (*write)(const ToWrite& from);
};
constexpr ComparisonFormat kComparisonFormats[] = {
    {".html", comparison_html},
    {".md", [](const ToWrite& from) { return comparison_markdown(from.comparison); }},
    {".json", [](const ToWrite& from) { return json::dump(comparison_json(from.comparison)); }},
    {".csv", [](const ToWrite& from) { return to_csv(compared_ops_table(from.comparison)); }}};

const ComparisonFormat& format_of(const fs::path& output) {
  const auto* format =
      std::ranges::find(kComparisonFormats, output.extension().string(), &ComparisonFormat::ending);
  if (format != std::end(kComparisonFormats)) return *format;
  throw Error(Errc::usage,
              fmt::format("{}: comparisons end in .html, .md, .json or .csv; name such a file "
                          "with -o",
                          printable(output.string())));
}

void print(const Comparison& comparison, const TableOptions& options) {
  if (options.is_json()) return print_object(comparison_json(comparison));
  if (options.is_csv()) return options.print(compared_ops_table(comparison));
  print_out(comparison_text(comparison, options.view()));
}

std::string failed_text(const ComparedRun& run) {
  return fmt::format("{0} did not end well; see 'quantlens workloads show {0}' for why", run.id);
}

/// Why nothing can be told of B; empty: it ended well, and has a figure that A has, too.
std::string unchecked_because(const Comparison& comparison) {
  if (comparison.b.state != WorkloadState::success) return failed_text(comparison.b);
  const ComparisonCounts& counts = comparison.counts;
  const bool has_ops = counts.better + counts.worse + counts.equal + counts.undecided > 0;
  if (has_ops || comparison.accuracy.verdict != ComparisonVerdict::unknown) return {};
  if (comparison.a.state != WorkloadState::success) return failed_text(comparison.a);
  if (comparison.accuracy.difference)
    return fmt::format("the {} of neither is a number", printable(comparison.accuracy.a->metric));
  return "the two have no figure in common; run both with --diagnose or with the same --metric";
}

/// Says what is worse, where that was asked for. What cannot be checked is not passed. Of the same
/// models none is.
int compare_code(const Comparison& comparison, const std::string& fail_on) {
  if (fail_on.empty()) return kDone;
  if (const std::string why = unchecked_because(comparison); !why.empty()) {
    print_err(fmt::format("quantlens: whether {} is worse than {} cannot be told: {}\n",
                          comparison.b.id, comparison.a.id, why));
    return kGoalMissed;
  }
  if (comparison.same_models) return kDone;
  const bool is_accuracy = comparison.accuracy.verdict == ComparisonVerdict::worse;
  if (!is_accuracy && comparison.counts.worse == 0) return kDone;
  std::string what = is_accuracy ? "the accuracy" : "";
  if (comparison.counts.worse > 0) {
    what = fmt::format("{}{}{}", counted(comparison.counts.worse, "activation"),
                       is_accuracy ? " and " : "", what);
  }
  print_err(
      fmt::format("quantlens: {} is worse than {}: {}\n", comparison.b.id, comparison.a.id, what));
  return kGoalMissed;
}

int run_compare(const CompareArguments& arguments) {
  if (!arguments.output.empty()) {
    format_of(arguments.output);
    flow::check_destination({.path = arguments.output, .is_model = false}, {});
  }
  DiskStore store;
  Workspace workspace = arguments.stored.workspace(store);
  TerminalProgress progress = arguments.stored.make_progress();
  const Comparison comparison = flow::compare(store, workspace, arguments.a, arguments.b, progress);
  if (arguments.output.empty()) {
    print(comparison, arguments.table);
  } else {
    write_atomic(store, arguments.output,
                 format_of(arguments.output)
                     .write({.store = store,
                             .workspace = workspace,
                             .comparison = comparison,
                             .progress = progress}));
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
                   "The first run: its id, the beginning of it, or the word last")
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
