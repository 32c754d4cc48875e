// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/version.h"
#include "quantlens/report/junit.h"
#include "quantlens/report/report_gates.h"
#include "quantlens/report/sarif.h"
#include "quantlens/report/summary_markdown.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/report_file.h"

namespace quantlens::cli {
namespace {

constexpr std::size_t kMostRuns = 2;

struct Arguments {
  std::vector<std::string> runs;
  std::string output = "report.html";
  StoredRunOptions stored;
  ReportGates gates;
};

/// Stored runs, with what is read of them and what came of the gates.
struct Stored {
  DiskStore store;
  Workspace workspace;
  std::vector<RunRecords> runs;
  std::vector<std::vector<GateResult>> gates;  ///< of each run
};

using Write = std::string (*)(Stored& stored, Progress& progress);

std::string html(Stored& stored, Progress& progress) {
  return server::report_file(stored.store, stored.workspace,
                             {.runs = stored.runs,
                              .gates = stored.gates,
                              .version = kVersion,
                              .assets = server::built_in_assets()},
                             progress);
}

/// Of a format that holds one run.
template <std::string (*Text)(const RunRecords&, const std::vector<GateResult>&)>
std::string of_one(Stored& stored, Progress&) {
  if (stored.runs.size() > 1)
    throw Error(Errc::usage, "two runs fit into a report in HTML alone; name one run");
  return Text(stored.runs.front(), stored.gates.front());
}

struct Format {
  std::string_view ending;
  Write write;
};
constexpr Format kFormats[] = {{".html", html},
                               {".md", of_one<summary_markdown>},
                               {".sarif", of_one<sarif_json>},
                               {".xml", of_one<junit_xml>}};

Write writer_for(const fs::path& output) {
  const auto format = std::ranges::find(kFormats, output.extension().string(), &Format::ending);
  if (format != std::end(kFormats)) return format->write;
  throw Error(
      Errc::usage,
      fmt::format("{}: reports end in .html, .md, .xml (JUnit) or .sarif; name such a file with -o",
                  printable(output.string())));
}

/// Says which gates are missed, and of which run where there are two.
int code_of(const Stored& stored) {
  int code = kDone;
  for (std::size_t i = 0; i < stored.runs.size(); ++i) {
    for (const GateResult& gate : stored.gates[i]) {
      if (gate.reached) continue;
      const std::string which = stored.runs.size() > 1 ? stored.runs[i].run.id + ": " : "";
      print_err(fmt::format("quantlens: {}{}\n", which, gate.because));
      code = kGoalMissed;
    }
  }
  return code;
}

int run(const Arguments& arguments) {
  if (arguments.runs.size() > kMostRuns)
    throw Error(Errc::usage, "a report shows one run, or two beside each other; name fewer");
  const fs::path output(arguments.output);
  const Write write = writer_for(output);
  flow::check_destination({.path = output, .is_model = false}, {});
  Stored stored{
      .store = {}, .workspace = arguments.stored.workspace(stored.store), .runs = {}, .gates = {}};
  Cores cores;
  for (const std::string& name : arguments.runs) {
    RunRecords records =
        read_run(stored.store, stored.workspace, stored.workspace.find(name).id, &cores);
    check_ended(records.run.id, records.run.state, "report");
    if (!stored.runs.empty() && stored.runs.front().run.id == records.run.id)
      throw Error(Errc::usage,
                  fmt::format("{} is named twice; name another run beside it", records.run.id));
    stored.gates.push_back(gate_results(records, arguments.gates));
    stored.runs.push_back(std::move(records));
  }
  TerminalProgress progress = arguments.stored.make_progress();
  write_atomic(stored.store, output, write(stored, progress));
  print_out(fmt::format("wrote {}\n", printable(output.string())));
  return code_of(stored);
}

}  // namespace

void add_report(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "report", "Write a stored run into one file, for a colleague or a pipeline; nothing is run");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("RUN", arguments->runs,
                   "The run: its id, the beginning of it, or the word last; in HTML also a second "
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
