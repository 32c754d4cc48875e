// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_list.h"

#include "quantlens/base/error.h"

namespace quantlens {

std::optional<AccuracySummary> read_accuracy(const WorkloadReader& reader) {
  try {
    if (const auto record = reader.get<AccuracyRecord>()) return accuracy_summary(*record);
    const auto study = reader.get<Study>();
    return study ? accuracy_summary(*study) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<ListedRun> read_list(const Store& store, const Workspace& workspace) {
  std::vector<ListedRun> runs;
  for (const Workload& run : workspace.list()) {
    const WorkloadReader reader(store, workspace.root() / "workloads" / run.id);
    runs.push_back(listed_run(run, read_accuracy(reader)));
  }
  return runs;
}

}  // namespace quantlens
