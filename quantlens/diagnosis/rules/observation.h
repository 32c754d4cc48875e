// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// Float32 rounding in another order stays above this, some 13 bits of 24, in networks of any
/// depth.
inline constexpr double kRoundingDb = 80;

/// What the runtime makes of ops where nobody looks at their results.
struct Fusion {
  std::string node;           ///< that it then runs: "QLinearConv 'name'"; empty: not known
  bool makes_weight = false;  ///< which multiplies codes that the runtime made of a float weight
  bool operator==(const Fusion&) const = default;
};

/// How the models were looked at, held against the files as they are run bare.
struct Observation {
  bool apart = false;               ///< in one model of both, the quantized one computed otherwise
  std::vector<std::string> unseen;  ///< ops, as people see them, whose results could not be looked
                                    ///< at without changing what is computed
  std::vector<Fusion> fusions;      ///< of the first ones of these
  std::vector<std::string>
      untried;            ///< ops that were left out with others, not tried by themselves
  bool is_steady = true;  ///< false: no way of looking gives the bare outputs
  /// SQNR of the float model's outputs against those of its own file, bare; +inf: equal; -inf: not
  /// even finite where that is; absent: no floats.
  std::optional<double> reference_sqnr_db;
  std::uint64_t reference_others = 0;  ///< elements of its outputs of other types that differ
  /// SQNR of the first batch's outputs, float against quantized: bare, and in a first run whose
  /// outputs were not the bare ones (absent: there was none).
  std::optional<double> bare_sqnr_db, observed_sqnr_db;
};

/// Adds what looking changes, what the runtime does and what to do about it, rule `observation`:
/// before all other findings and first in the verdict. Where the outputs' loss is the same within
/// 1 dB it is a note behind all others, without advice, and not in the verdict. Nothing where
/// nothing changed.
void add_observation(const Observation& observation, Diagnosis& diagnosis);

}  // namespace quantlens
