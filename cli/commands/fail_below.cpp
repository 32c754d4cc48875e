// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/fail_below.h"

#include <string>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/report/run_text.h"

namespace quantlens::cli {

void FailBelow::add_to(CLI::App& verb) {
  verb.add_option("--fail-below", least_db_,
                  "Exit with 3 if an activation's SQNR is below this many dB, or if an output was "
                  "not compared (default: never)")
      ->check(number());
}

int FailBelow::code(const std::optional<Diagnosis>& diagnosis) const {
  if (!least_db_) return kDone;
  if (!diagnosis) {
    throw Error(
        Errc::failed,
        "--fail-below cannot be checked: the run compared no activations; judge one that did");
  }
  const std::optional<std::string> missed = missed_goal(*diagnosis, *least_db_);
  if (missed) print_err(fmt::format("quantlens: {}\n", *missed));
  return missed ? kGoalMissed : kDone;
}

}  // namespace quantlens::cli
