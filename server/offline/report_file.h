// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::server {

/// One file of HTML with all pages of one run, or of two beside each other, and the verdict of each
/// for who reads without scripts. `version`: of quantlens. Throws as write_report_data and
/// gate_results.
std::string report_file(Store& store, Workspace& workspace, std::span<const RunRecords> runs,
                        const ReportGates& gates, std::string_view version, Progress& progress);

}  // namespace quantlens::server
