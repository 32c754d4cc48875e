// Samples that tests make up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "quantlens/accuracy/evaluate.h"

namespace quantlens {

/// Some number in [0, 1) that looks random.
inline double some(std::uint64_t seed) {
  const double x = std::sin(static_cast<double>(seed) * 12.9898) * 43758.5453;
  return x - std::floor(x);
}

struct Step {
  Batch batch;
  Outputs outputs;
};

}  // namespace quantlens
