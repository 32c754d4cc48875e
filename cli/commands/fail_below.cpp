// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/fail_below.h"

#include <fmt/format.h>

#include "quantlens/report/gate.h"

namespace quantlens::cli {

void FailBelow::add_to(CLI::App& verb) {
  verb.add_option("--fail-below", least_db_,
                  "Exit with 3 if an activation's SQNR is below this many dB, or if an output was "
                  "not compared (default: never)")
      ->check(number());
}

int FailBelow::code(const RunRecords& records) const {
  if (!least_db_) return kDone;
  const GateVerdict verdict = sqnr_gate(records, *least_db_);
  if (!verdict.reached) print_err(fmt::format("quantlens: {}\n", verdict.because));
  return verdict.reached ? kDone : kGoalMissed;
}

}  // namespace quantlens::cli
