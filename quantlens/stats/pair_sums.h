// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace quantlens {

/// Counts and sums over pairs (x reference, y quantized), from which these figures follow. Formulas
/// and edge cases: docs/metrics.md.
struct PairSums {
  std::uint64_t finite = 0, nonfinite = 0, clipped = 0;
  double xx = 0, yy = 0, ee = 0;  ///< sums of x^2, y^2, (x-y)^2

  bool is_all_nonfinite() const { return finite == 0 && nonfinite > 0; }
  double mse() const;
  double sqnr_db() const;
  double cosine() const;
  double fisher_z() const;  ///< atanh of the cosine; not finite where that is -1, 1 or has no angle
  double clip_rate() const;
};

}  // namespace quantlens
