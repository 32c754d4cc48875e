// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"

namespace quantlens {

/// A stored run as one suite of JUnit's XML, as GitLab, Jenkins and GitHub's actions read it. Its
/// tests: that the run was completed, each gate that was asked for, that every output was compared
/// (of a run that compared), and each finding. A finding fails where its report_level is an error:
/// never where all gates are reached, so that the file fails where `quantlens report` does; else it
/// says what it found in its output. Where a gate or an output fails, the message
/// says why and then the verdict, which is the output of the first test and of the suite as well.
/// What XML cannot hold becomes '?'. `gates`: as gate_results has them.
///
/// There is no library for XML in the project: these five elements without namespaces are written
/// as text, and every text goes through one function that escapes it.
std::string junit_xml(const RunRecords& records, const std::vector<GateResult>& gates = {});

}  // namespace quantlens
