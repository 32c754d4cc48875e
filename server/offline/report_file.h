// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"
#include "quantlens/workspace/workspace.h"
#include "server/assets/assets.h"

namespace quantlens::server {

/// What a report is made of.
struct ReportParts {
  std::span<const RunRecords> runs;  ///< one, or two beside each other
  /// What came of the gates, for each run; empty: none was asked for.
  std::vector<std::vector<GateResult>> gates;
  std::string_view version;   ///< of quantlens
  bool compared = false;      ///< what is different in the second one comes first
  std::vector<Asset> assets;  ///< the pages
};

/// One file of HTML with all pages of the runs, and the verdict of each for who reads without
/// scripts. What is left out since it is missing or damaged is a note of `progress`. Throws as
/// write_report_data. REQUIRES: as many `gates` as runs, or none.
std::string report_file(Store& store, Workspace& workspace, const ReportParts& parts,
                        Progress& progress);

}  // namespace quantlens::server
