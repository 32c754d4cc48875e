// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/report_gates.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/report/gate.h"
#include "quantlens/report/loss_gate.h"

namespace quantlens {

namespace {

/// `verdict` gives one with `reached` and `because`.
template <class F>
GateResult judged(const Workload& run, std::string id, std::string asks, const F& verdict) {
  GateResult result{.id = std::move(id), .asks = std::move(asks), .reached = false, .because = {}};
  if (run.state == WorkloadState::failure) {
    result.because = "the run failed, so that no figure of it counts";
    return result;
  }
  try {
    const auto made = verdict();
    result.reached = made.reached;
    result.because = made.because;
  } catch (const Error& error) {
    if (error.code() != Errc::failed) throw;
    result.because = error.what();
  }
  return result;
}

}  // namespace

std::vector<GateResult> gate_results(const RunRecords& records, const ReportGates& gates) {
  if (gates.absolute && !gates.most_loss)
    throw Error(Errc::usage,
                "--absolute says how --max-loss is read, and there is none; give both");
  std::vector<GateResult> results;
  if (gates.least_db) {
    results.push_back(judged(records.run, "sqnr", fmt::format("SQNR >= {} dB", *gates.least_db),
                             [&] { return sqnr_gate(records, *gates.least_db); }));
  }
  if (gates.most_loss) {
    const std::string allowed = allowed_loss_text(*gates.most_loss, gates.absolute);
    results.push_back(judged(records.run, "accuracy", "accuracy loss <= " + allowed, [&] {
      return accuracy_gate(records, *gates.most_loss, gates.absolute);
    }));
  }
  return results;
}

}  // namespace quantlens
