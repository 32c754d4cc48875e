// SPDX-License-Identifier: Apache-2.0
#include "server/offline/report_file.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/run_text.h"
#include "quantlens/workspace/workload_id.h"
#include "server/offline/packed.h"
#include "server/offline/report_data.h"
#include "server/offline/report_page.h"

namespace quantlens::server {
namespace {

std::string report_title(const RunRecords& run) {
  return fmt::format("{} {}", run.run.verb, run.run.name.empty() ? run.run.id : run.run.name);
}

/// Lines that a browser shows as they stand.
std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += printable(text.substr(0, end));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What is read without the pages: the verdict first.
std::string summary_of(const RunRecords& run, const std::vector<GateResult>& gates) {
  std::string text = fmt::format("{}\n{}, made {}\n\n{}\n", printable(report_title(run)),
                                 run.run.id, run.run.created, verdict_line(run));
  for (const GateResult& gate : gates)
    if (!gate.reached) text += fmt::format("{} is missed: {}\n", gate.asks, gate.because);
  return text + "\n" + run_text(run, {}) + "\n";
}

}  // namespace

std::string report_file(Store& store, Workspace& workspace, const ReportParts& parts,
                        Progress& progress) {
  ReportPage page;
  ReportData data{.made = utc_text(std::chrono::system_clock::now()),
                  .version = std::string(parts.version),
                  .compared = parts.compared};
  for (std::size_t i = 0; i < parts.runs.size(); ++i) {
    const RunRecords& run = parts.runs[i];
    const std::vector<GateResult> judged =
        parts.gates.empty() ? std::vector<GateResult>() : parts.gates.at(i);
    if (!page.title.empty()) page.title += " and ";
    page.title += printable(report_title(run));
    page.summary += summary_of(run, judged);
    data.ids.push_back(run.run.id);
    for (const GateResult& gate : judged)
      data.gates.push_back({run.run.id, gate.asks, gate.reached, gate.because});
  }
  Events events;
  Api api(store, workspace, events);
  Packed packed;
  const std::vector<LeftOut> left_out = write_report_data(
      api, store, data, progress, [&](std::string_view text) { packed.add(text); });
  page.data = packed.base64();
  for (const LeftOut& one : left_out) {
    const std::string sentence = fmt::format("left out of the pages: {}", one.because);
    progress.note(sentence);
    page.summary += sentence + "\n";
  }
  page.summary = printable_lines(page.summary);
  return report_page(parts.assets, page);
}

}  // namespace quantlens::server
