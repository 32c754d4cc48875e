// Runs that are kept in a workspace, told by what is stored of them: all of them, or one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
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

/// **Workloads**: id, state, message, verb and name of each.
Table workloads_table(const std::vector<Workload>& workloads);

}  // namespace quantlens
