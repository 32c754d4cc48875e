// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/gate.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

GateVerdict missed(std::string because) {
  return {.reached = false, .below = 0, .short_of_db = 0, .because = std::move(because)};
}

}  // namespace

GateVerdict sqnr_gate(const RunRecords& records, double least_db) {
  if (!records.diagnosis) {
    throw Error(
        Errc::failed,
        "--fail-below cannot be checked: the run compared no activations; judge one that did");
  }
  const std::vector<ActivationRow>& rows = records.diagnosis->activations;
  const std::vector<std::string>& unseen = records.diagnosis->outputs_not_compared;
  if (rows.empty()) {
    return missed(
        fmt::format("nothing was compared, so nothing is known to reach {} dB", least_db));
  }
  GateVerdict verdict;
  verdict.below = static_cast<std::uint64_t>(std::ranges::count_if(
      rows, [&](const ActivationRow& row) { return row.sqnr_db < least_db; }));
  const ActivationRow& worst = *std::ranges::min_element(rows, {}, &ActivationRow::sqnr_db);
  if (verdict.below > 0) verdict.short_of_db = least_db - worst.sqnr_db;
  verdict.reached = verdict.below == 0 && unseen.empty();
  if (!unseen.empty()) {
    verdict.because =
        fmt::format("the output '{}' was not compared, so it is not known to reach {} dB",
                    printable(unseen.front()), least_db);
  } else if (verdict.below > 0) {
    verdict.because =
        fmt::format("{} of {} {} below {} dB, the worst {} with {:.1f} dB", verdict.below,
                    counted(rows.size(), "activation"), verdict.below == 1 ? "is" : "are", least_db,
                    printable(worst.op.name), worst.sqnr_db);
  }
  return verdict;
}

}  // namespace quantlens
