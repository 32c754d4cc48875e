// Runs that are kept in a workspace, told by what is stored of them: all of them, or one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/record/listed_run.h"
#include "quantlens/record/run_folder.h"
#include "quantlens/record/run_records.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// A stored run for programs: its own record, its folder, and what it found.
struct KeptRun : Workload, RunFolder {
  json::Value result;  ///< as run_json has it; null for a run that has found nothing
};
BOOST_DESCRIBE_STRUCT(KeptRun, (Workload, RunFolder), (result))

KeptRun kept_run(const RunRecords& records, const RunFolder& folder);

/// The same for people: who it is, how it ended, its files, and all that its verb told.
std::string kept_run_text(const RunRecords& records, const RunFolder& folder, const RunView& view);

/// **Workloads** for files: id, state, message, verb, name, model and accuracies of each.
Table workloads_table(const std::vector<ListedRun>& runs);

/// The same for people: a table of the id, never shortened, the state, the accuracy of the
/// quantized model with its metric ("0.7580 top1"), and the model's file; below it how those of its
/// rows failed that did.
std::string workloads_text(const std::vector<ListedRun>& runs, const RunView& view);

}  // namespace quantlens
