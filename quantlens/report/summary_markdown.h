// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"

namespace quantlens {

/// "**Verdict on mobilenet:** ...": what all that is told of a run in Markdown begins with.
std::string verdict_markdown(const RunRecords& records);

/// A stored run in GitHub's Markdown, for a pull request: the verdict, the gates that
/// were asked for, the accuracies, the first findings with their remedies, the worst ops, and what
/// was run. Models are named by their files alone; a failure is told in its own words. Names of
/// files, ops and values are shown as they stand, whatever Markdown would make of them; they
/// mention nobody and are no links. At most 65,000 bytes, which a comment on GitHub holds: of a
/// longer one fewer findings and ops are shown, and it says so. `gates`: as gate_results has them;
/// `recipe`: that of the run, null where it is not to be told.
std::string summary_markdown(const RunRecords& records, const std::vector<GateResult>& gates = {},
                             const Recipe* recipe = nullptr);

}  // namespace quantlens
