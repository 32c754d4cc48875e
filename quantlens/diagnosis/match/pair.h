// diagnosis: which value stands for which, and what the differences say. Measures nothing itself
// (a Run's taps do). Start here, then diagnose.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/indexed.h"
#include "quantlens/record/pairing.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Matches values and weights of the two models: by the map of names that quantlens wrote into the
/// quantized file, then by structure, with equal names as evidence (match_structure.h). Never
/// throws for what does not match: leftovers are listed.
Pairing pair(const Indexed& reference, const Indexed& quantized);
/// The same where nothing else is looked up in the two.
Pairing pair(const Model& reference, const Model& quantized);

/// The taps that measure every pair.
TapSpec taps_for(const Pairing& pairing);

}  // namespace quantlens
