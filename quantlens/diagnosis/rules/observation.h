// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// How the models were looked at, held against the files as they are run bare.
struct Observation {
  bool apart = false;               ///< in one model of both, the quantized one computed otherwise
  std::vector<std::string> unseen;  ///< ops, as people see them, whose results could not be looked
                                    ///< at without changing what is computed
  bool is_steady = true;            ///< false: no way of looking gives the bare outputs
  /// SQNR of the float model's outputs against its bare ones; +inf: equal; absent: no floats.
  std::optional<double> reference_sqnr_db;
  /// SQNR of the first batch's outputs, float against quantized: bare, and in a first run whose
  /// outputs were not the bare ones (absent: there was none).
  std::optional<double> bare_sqnr_db, observed_sqnr_db;
};

/// Adds what looking changes and what was done about it, rule `observation`: before all others
/// where another loss would have been told, by more than a decibel; else as the last one, a note.
/// Nothing where nothing changed.
void add_observation(const Observation& observation, Diagnosis& diagnosis);

}  // namespace quantlens
