// SPDX-License-Identifier: Apache-2.0
#include "server/offline/write_report.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/report/junit.h"
#include "quantlens/report/sarif.h"
#include "quantlens/report/summary_markdown.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/report_file.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostReported = 2;

/// Runs, with what is read of them and what came of the gates.
struct Reported {
  Store& store;
  Workspace& workspace;
  const ReportOptions& options;
  std::vector<RunRecords> runs;
  std::vector<std::vector<GateResult>> gates;  ///< of each run
};

using WriteReport = std::string (*)(Reported& reported, Progress& progress);

std::string report_html(Reported& reported, Progress& progress) {
  return report_file(reported.store, reported.workspace,
                     {.runs = reported.runs,
                      .gates = reported.gates,
                      .version = reported.options.version,
                      .assets = reported.options.assets},
                     progress);
}

/// Of a format that holds one run.
template <class Text>
std::string of_one(Reported& reported, const Text& text) {
  if (reported.runs.size() > 1)
    throw Error(Errc::usage, "two runs fit into a report in HTML alone; name one run");
  return text(reported.runs.front(), reported.gates.front());
}

template <std::string (*Text)(const RunRecords&, const std::vector<GateResult>&)>
std::string report_of_one(Reported& reported, Progress&) {
  return of_one(reported, Text);
}

/// A recipe that cannot be read is left out, and a note says so.
std::string report_markdown(Reported& reported, Progress& progress) {
  const RunRecords& first = reported.runs.front();
  std::optional<Recipe> recipe;
  try {
    recipe = WorkloadReader(reported.store, reported.workspace.folder(first.run.id)).get<Recipe>();
  } catch (const Error& error) {
    progress.note(fmt::format("left out: {}", error.what()));
  }
  const auto text = [&](const RunRecords& records, const std::vector<GateResult>& gates) {
    return summary_markdown(records, gates, recipe ? &*recipe : nullptr);
  };
  return of_one(reported, text);
}

struct ReportFormat {
  std::string_view ending;
  WriteReport write;
};
constexpr ReportFormat kReportFormats[] = {{".html", report_html},
                                           {".md", report_markdown},
                                           {".sarif", report_of_one<sarif_json>},
                                           {".xml", report_of_one<junit_xml>}};

WriteReport report_writer_for(const fs::path& output) {
  const auto format =
      std::ranges::find(kReportFormats, output.extension().string(), &ReportFormat::ending);
  if (format != std::end(kReportFormats)) return format->write;
  throw Error(
      Errc::usage,
      fmt::format("{}: reports end in .html, .md, .xml (JUnit) or .sarif; name such a file with -o",
                  printable(output.string())));
}

void add_run(Reported& reported, const std::string& name, Cores& cores) {
  RunRecords records =
      read_run(reported.store, reported.workspace, reported.workspace.find(name).id, &cores);
  check_ended(records.run.id, records.run.state, "report");
  if (!reported.runs.empty() && reported.runs.front().run.id == records.run.id)
    throw Error(Errc::usage,
                fmt::format("{} is named twice; name another run beside it", records.run.id));
  reported.gates.push_back(gate_results(records, reported.options.gates));
  reported.runs.push_back(std::move(records));
}

}  // namespace

std::vector<MissedGate> write_report(Store& store, Workspace& workspace,
                                     const ReportOptions& options, Progress& progress) {
  if (options.runs.size() > kMostReported)
    throw Error(Errc::usage, "a report shows one run, or two beside each other; name fewer");
  const WriteReport write = report_writer_for(options.output);
  Reported reported{
      .store = store, .workspace = workspace, .options = options, .runs = {}, .gates = {}};
  Cores cores;
  for (const std::string& name : options.runs) add_run(reported, name, cores);
  write_atomic(store, options.output, write(reported, progress));
  std::vector<MissedGate> missed;
  for (std::size_t i = 0; i < reported.runs.size(); ++i) {
    for (const GateResult& gate : reported.gates[i]) {
      if (!gate.reached)
        missed.push_back({.run = reported.runs[i].run.id, .because = gate.because});
    }
  }
  return missed;
}

}  // namespace quantlens::server
