// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/command.h"
#include "quantlens/record/run_records.h"

namespace quantlens::cli {

/// `--fail-below`: the gate of commands that diagnose.
class FailBelow {
 public:
  void add_to(CLI::App& verb);
  /// The exit code; says what is missing to the goal. Throws as sqnr_gate does, where the gate was
  /// asked for.
  int code(const RunRecords& records) const;

 private:
  std::optional<double> least_db_;
};

}  // namespace quantlens::cli
