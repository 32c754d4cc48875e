// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/gate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

GateVerdict missed(std::string because) {
  return {.reached = false, .below = 0, .short_of_db = 0, .because = std::move(because)};
}

/// Its finite figure says nothing where the quantized model made NaN or infinities of numbers.
double sqnr_of(const ActivationRow& row) {
  const bool has_figure = row.became_nonfinite == 0 && !std::isnan(row.sqnr_db);
  return has_figure ? row.sqnr_db : -std::numeric_limits<double>::infinity();
}

/// What is wrong with the worst one.
std::string worst_text(const ActivationRow& worst) {
  const std::string name = printable(worst.op.name);
  if (worst.became_nonfinite > 0) {
    return fmt::format("{} with {} of {} values NaN or infinite that are not in the float model",
                       name, worst.became_nonfinite, worst.nonfinite + worst.elements);
  }
  if (std::isnan(worst.sqnr_db)) return name + ", whose SQNR is not known";
  return fmt::format("{} with {:.1f} dB", name, worst.sqnr_db);
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
      rows, [&](const ActivationRow& row) { return sqnr_of(row) < least_db; }));
  const ActivationRow& worst = *std::ranges::min_element(rows, {}, sqnr_of);
  if (verdict.below > 0) verdict.short_of_db = least_db - sqnr_of(worst);
  verdict.reached = verdict.below == 0 && unseen.empty();
  if (!unseen.empty()) {
    verdict.because =
        fmt::format("the output '{}' was not compared, so it is not known to reach {} dB",
                    printable(unseen.front()), least_db);
  } else if (verdict.below > 0) {
    verdict.because = fmt::format("{} of {} {} below {} dB, the worst {}", verdict.below,
                                  counted(rows.size(), "activation"),
                                  verdict.below == 1 ? "is" : "are", least_db, worst_text(worst));
  }
  return verdict;
}

}  // namespace quantlens
