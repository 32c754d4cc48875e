// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/version.h"
#include "server/offline/write_report.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string output = server::ReportOptions().output.string();
  StoredRunOptions stored;
  ReportGates gates;
};

int run(const Arguments& arguments) {
  const fs::path output(arguments.output);
  flow::check_destination({.path = output, .is_model = false}, {});
  DiskStore store;
  Workspace workspace = arguments.stored.workspace(store);
  TerminalProgress progress = arguments.stored.make_progress();
  const std::vector<server::MissedGate> missed =
      server::write_report(store, workspace,
                           {.runs = arguments.runs,
                            .output = output,
                            .gates = arguments.gates,
                            .version = kVersion,
                            .assets = server::built_in_assets()},
                           progress);
  print_out(fmt::format("wrote {}\n", printable(output.string())));
  for (const server::MissedGate& gate : missed) {
    const std::string which = arguments.runs.size() > 1 ? gate.run + ": " : "";
    print_err(fmt::format("quantlens: {}{}\n", which, gate.because));
  }
  return missed.empty() ? kDone : kGoalMissed;
}

}  // namespace

void add_report(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "report", "Write a stored run into one file, for a colleague or a pipeline; nothing is run");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option(
          "RUN", arguments->runs,
          "The run: its id, the beginning of it, its name, or the word last; in HTML also a second "
          "one beside it")
      ->check(offers_runs())
      ->required()
      ->check(not_empty());
  verb->add_option("-o", arguments->output,
                   "Write this file (default: report.html). Its ending says what it is: .html is "
                   "all pages of 'quantlens serve' in one file that a browser opens from the disk "
                   "with the network off, .md the verdict for a pull request, .xml tests as JUnit "
                   "has them, .sarif findings for code scanning")
      ->check(offers_files())
      ->check(not_empty());
  verb->add_option("--fail-below", arguments->gates.least_db,
                   "Exit with 3, after the file is written, if an activation's SQNR is below this "
                   "many dB, or if an output was not compared (default: never)")
      ->check(number());
  verb->add_option("--max-loss", arguments->gates.most_loss,
                   "Exit with 3, after the file is written, if more of the float model's accuracy "
                   "was lost, as a share of it; 1% is 0.01 (default: never)")
      ->transform(share())
      ->check(number());
  verb->add_flag("--absolute", arguments->gates.absolute,
                 "Read --max-loss in the metric's own unit, where 0.01 of top1 is one point "
                 "(default: as a share)");
  arguments->stored.add_to(*verb);
  verb->footer("Example:\n  quantlens report last -o report.html");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
