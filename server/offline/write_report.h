// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/report/report_gates.h"
#include "quantlens/workspace/workspace.h"
#include "server/assets/assets.h"

namespace quantlens::server {

struct ReportOptions {
  std::vector<std::string> runs;  ///< one or, in HTML, two beside each other; as Workspace::find
  /// Its ending says what is written: .html, .md, .xml (JUnit) or .sarif.
  fs::path output = "report.html";
  ReportGates gates;
  std::string_view version;   ///< of quantlens
  std::vector<Asset> assets;  ///< the pages, for HTML
};

/// A gate that a run missed.
struct MissedGate {
  std::string run;      ///< its id
  std::string because;  ///< a sentence
};

/// Writes stored runs into one file, whole or not at all; nothing is run. Gives the gates that were
/// missed. Throws Errc::usage for another ending, for more runs than the file can hold, one that
/// is named twice or has not ended; and as read_run and report_file do.
std::vector<MissedGate> write_report(Store& store, Workspace& workspace,
                                     const ReportOptions& options, Progress& progress);

}  // namespace quantlens::server
