// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/kept_run.h"

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/run_text.h"

namespace quantlens {
namespace {

std::string state_name(const Workload& workload) {
  return std::string(json::encode(workload.state).as_string());
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
  for (const StoredFile& file : folder.files) text += "  " + printable(file.name) + "\n";
  return text + run_text(records, view);
}

Table workloads_table(const std::vector<Workload>& workloads) {
  Table table{.title = "Workloads",
              .columns = {{"Id"}, {"State"}, {"Message"}, {"Verb", true}, {"Name", true}},
              .rows = {}};
  for (const Workload& workload : workloads) {
    table.rows.push_back(
        {workload.id, state_name(workload), workload.message, workload.verb, workload.name});
  }
  return table;
}

}  // namespace quantlens
