// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/report_gates.h"

#include <fmt/format.h>

#include "quantlens/report/gate.h"
#include "quantlens/report/loss_gate.h"

namespace quantlens {

std::vector<GateResult> gate_results(const RunRecords& records, const ReportGates& gates) {
  std::vector<GateResult> results;
  if (gates.least_db) {
    const GateVerdict verdict = sqnr_gate(records, *gates.least_db);
    results.push_back({.id = "sqnr",
                       .asks = fmt::format("SQNR >= {} dB", *gates.least_db),
                       .reached = verdict.reached,
                       .because = verdict.because});
  }
  if (gates.most_loss) {
    const LossVerdict verdict = accuracy_gate(records, *gates.most_loss, gates.absolute);
    results.push_back({.id = "accuracy",
                       .asks = fmt::format("accuracy loss <= {}",
                                           allowed_loss_text(*gates.most_loss, gates.absolute)),
                       .reached = verdict.reached,
                       .because = verdict.because});
  }
  return results;
}

}  // namespace quantlens
