// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/kept_run.h"

#include <cmath>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/run_text.h"

namespace quantlens {
namespace {

std::string state_name(const Workload& workload) {
  return std::string(word(workload.state));
}

/// "under way: calibrate, 40 of 100 after 3.2 s", and its line's end.
std::string progress_text(const ProgressEvent& event, WorkloadState state) {
  const std::string of = event.total ? fmt::format(" of {}", *event.total) : "";
  return fmt::format(
      "{}: {}, {}{} after {:.1f} s\n", state == WorkloadState::wip ? "under way" : "ended at",
      printable(event.step.value_or("")), event.done.value_or(0), of, event.seconds.value_or(0));
}

/// "0.7580 top1"; empty where there is none.
std::string accuracy_text(const std::optional<AccuracySummary>& accuracy) {
  if (!accuracy || !accuracy->quantized) return {};
  const double value = *accuracy->quantized;
  return fmt::format("{} {}", figure_text(value, accuracy->is_rate ? 1 : std::abs(value)),
                     accuracy->metric);
}

}  // namespace

KeptRun kept_run(const RunRecords& records, const RunFolder& folder) {
  KeptRun kept{records.run, folder, nullptr};
  boost::json::object result = run_json(records);
  const bool is_id_alone = result.size() == 1;
  if (!is_id_alone) kept.result = std::move(result);
  return kept;
}

std::string kept_run_text(const RunRecords& records, const RunFolder& folder, const RunView& view) {
  const Workload& run = records.run;
  std::string text = fmt::format(
      "{}\n{} {}: {}{}{}\nfolder: {}\n", run.id, printable(run.verb), printable(run.name),
      state_name(run), run.message.empty() ? "" : ", ", printable(run.message), folder.folder);
  if (folder.progress) text += progress_text(*folder.progress, run.state);
  for (const StoredFile& file : folder.files) text += "  " + printable(file.name) + "\n";
  return told(text, view) + run_text(records, view);
}

Table workloads_table(const std::vector<ListedRun>& runs) {
  Table table{.title = "Workloads",
              .columns = {{"Id"},
                          {"State"},
                          {"Message"},
                          {"Verb"},
                          {"Name"},
                          {"Model"},
                          {"Metric"},
                          {"Accuracy"},
                          {"Accuracy of the reference"}},
              .rows = {}};
  for (const ListedRun& run : runs) {
    const AccuracySummary accuracy = run.accuracy.value_or(AccuracySummary());
    table.rows.push_back({run.id, state_name(run), run.message, run.verb, run.name, run.model,
                          accuracy.metric, cell_of(accuracy.quantized),
                          cell_of(accuracy.reference)});
  }
  return table;
}

std::string workloads_text(const std::vector<ListedRun>& runs, const RunView& view) {
  Table table{.title = "Workloads",
              .columns = {{.title = "Id", .whole = true}, {"State"}, {"Accuracy"}, {"Model"}},
              .rows = {}};
  std::string messages;
  for (const ListedRun& run : runs) {
    if (table.rows.size() < rows_of(view) && !run.message.empty())
      messages += told_paragraph(printable(fmt::format("{}: {}", run.id, run.message)), view);
    table.rows.push_back({run.id, state_name(run), accuracy_text(run.accuracy), run.model});
  }
  return shown(table, view) + messages;
}

}  // namespace quantlens
