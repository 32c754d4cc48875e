// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/profile.h"

namespace quantlens {

/// What ops take in both models, in microseconds. Conversions are quantizers and dequantizers;
/// layouts are reorders, transposes and casts that the runtime put in. Both are of the quantized
/// run: those of the float model are in `reference`.
struct Costs {
  double reference = 0;
  double kernels = 0;
  double conversions = 0;
  double layouts = 0;

  void add(const OpTime& row);
  /// Of the quantized run, all three.
  double quantized() const { return kernels + conversions + layouts; }
};

}  // namespace quantlens
