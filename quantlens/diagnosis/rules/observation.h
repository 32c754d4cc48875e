// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/observation.h"

namespace quantlens {

/// Float32 rounding in another order stays above this, some 13 bits of 24, in networks of any
/// depth.
inline constexpr double kRoundingDb = 80;

/// Adds what looking changes, what the runtime does and what to do about it, rule `observation`:
/// before all other findings and first in the verdict. Where the outputs' loss is the same within
/// 1 dB it is a note behind all others, without advice, and not in the verdict. Nothing where
/// nothing changed.
void add_observation(const Observation& observation, Diagnosis& diagnosis);

}  // namespace quantlens
