// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Below this the two sides of a pair that nothing confirms are suspected to have nothing to do
/// with each other.
inline constexpr double kLeastCorrelation = 0.5;

/// Pearson's correlation of the pairs of one sample's block: -1..1. 1 where both sides are
/// constant, 0 where one is; nothing where there are fewer than eight finite pairs.
std::optional<double> correlation(const PairStats& stats, std::uint64_t sample);

/// Whether a pair rests on so little that its values must speak for it: neither the file's own
/// word, nor ops that agree.
bool needs_proof(const ValuePair& pair);

/// Lists in `pairing.suspects` the pairs that need a proof and do not correlate on `sample`, which
/// `state` covers.
void find_suspects(const TapState& state, std::uint64_t sample, Pairing& pairing);

}  // namespace quantlens
