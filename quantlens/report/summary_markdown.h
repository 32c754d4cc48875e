// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"

namespace quantlens {

/// A stored run in GitHub's Markdown, for a pull request: the verdict, the gates that
/// were asked for, the accuracies, the first findings with their remedies, the worst ops, and what
/// was run. Models are named by their files alone; a failure is told in its own words. Names of
/// files, ops and values are shown as they stand, whatever Markdown would make of them; they
/// mention nobody and are no links. Throws as gate_results.
std::string summary_markdown(const RunRecords& records, const ReportGates& gates = {});

}  // namespace quantlens
