// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/run_records.h"

namespace quantlens {

/// What a report's reader asks of the run.
struct ReportGates {
  std::optional<double> least_db;   ///< of each activation's SQNR, as sqnr_gate has it
  std::optional<double> most_loss;  ///< of accuracy, as accuracy_gate has it
  bool absolute = false;            ///< most_loss is in the metric's own unit, else a share
};

/// A gate and what came of it.
struct GateResult {
  std::string id;    ///< "sqnr", "accuracy"
  std::string asks;  ///< "SQNR >= 20 dB", "accuracy loss <= 1 %"
  bool reached = true;
  std::string because;  ///< a sentence; empty where it is reached
};

/// Those that were given, SQNR first. One that cannot be checked, since the run failed or has no
/// such figure, is missed and says so. Throws Errc::usage as accuracy_gate, and for `absolute`
/// without `most_loss`.
std::vector<GateResult> gate_results(const RunRecords& records, const ReportGates& gates);

}  // namespace quantlens
