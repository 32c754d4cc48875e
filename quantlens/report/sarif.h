// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"

namespace quantlens {

/// A stored run in SARIF 2.1.0, for code scanning: a result where the run failed, for each gate
/// that was missed
/// ("gate/sqnr", "gate/accuracy") and for each finding, of the level that report_level gives it.
///
/// A result is at an op: a logical location of kind "function" (SARIF has no kind for ops; an op is
/// what computes) with the op's name and, as its full name, its id. The physical location, without
/// which GitHub shows nothing, is the first line of the reference model's file, whose ops these
/// are: by its path where the run has a relative one, else by its name, so that no folder of the
/// machine is told. `primaryLocationLineHash`, the fingerprint that GitHub goes by, is of the rule
/// and the op's id, so that a finding keeps its alert from run to run. The remedy is one of the
/// result's properties, as a recipe has it: braces in messages are placeholders. `gates`:
/// as gate_results has them.
std::string sarif_json(const RunRecords& records, const std::vector<GateResult>& gates = {});

}  // namespace quantlens
