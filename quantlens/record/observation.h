// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/op_ref.h"

namespace quantlens {

/// What the runtime makes of ops where nobody looks at their results.
struct Fusion {
  std::string node;           ///< that it then runs: "QLinearConv 'name'"; empty: not known
  bool makes_weight = false;  ///< which multiplies codes that the runtime made of a float weight
  bool operator==(const Fusion&) const = default;
};
BOOST_DESCRIBE_STRUCT(Fusion, (), (node, makes_weight))

/// How the models were looked at, held against the files as they are run bare.
struct Observation {
  bool apart = false;  ///< in one model of both, the quantized one computed otherwise
  /// Ops whose results could not be looked at without changing what is computed.
  std::vector<OpRef> unseen;
  std::vector<Fusion> fusions;  ///< of the first ones of these
  std::vector<OpRef> untried;   ///< ops that were left out with others, not tried by themselves
  bool is_steady = true;        ///< false: no way of looking gives the bare outputs
  /// SQNR of the float model's outputs against those of its own file, bare; +inf: equal; -inf: not
  /// even finite where that is; absent: no floats.
  std::optional<double> reference_sqnr_db;
  std::uint64_t reference_others = 0;  ///< elements of its outputs of other types that differ
  /// SQNR of the first batch's outputs, float against quantized: bare, and in a first run whose
  /// outputs were not the bare ones (absent: there was none).
  std::optional<double> bare_sqnr_db, observed_sqnr_db;
};
BOOST_DESCRIBE_STRUCT(Observation, (),
                      (apart, unseen, fusions, untried, is_steady, reference_sqnr_db,
                       reference_others, bare_sqnr_db, observed_sqnr_db))

}  // namespace quantlens
