// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/graph/outline.h"
#include "quantlens/record/comparison.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What is known of an op besides its place; 0: nothing.
struct OpEvidence {
  std::uint64_t weights = 0;                ///< of the figures of its weights
  std::uint64_t activation = 0;             ///< of the extremes of what it makes
  std::vector<TensorSummary> figures = {};  ///< those of its weights, in order of size
};

/// By id.
using OpEvidences = std::unordered_map<std::string, OpEvidence>;

/// One of the two networks.
struct MatchSide {
  const GraphOutline& graph;
  const OpEvidences& evidence;
};

/// Ops that belong together, by their numbers in the outlines.
struct MatchedPair {
  std::size_t a = 0, b = 0;
  OpMatchedBy by = OpMatchedBy::structure;
};

/// Of one file: by their ids.
std::vector<MatchedPair> match_same_file(const GraphOutline& a, const GraphOutline& b);

/// Which ops of two networks are the same, whatever they are called; in the order of A. First those
/// whose whole surroundings agree and are like no others'; then those that agree with all before
/// them, or all behind them; from these on to their neighbours, one wave at a time; of those that
/// are alike, those that the figures of their weights tell apart; and names at the end, where
/// nothing speaks against them. Where weights were changed and those of another op are far nearer,
/// only ops that agree in their whole surroundings are partners. What stays ambiguous is not
/// matched. Constants and Identity are neither matched nor in the way. Time grows with the links of
/// the graphs (docs/compare.md).
std::vector<MatchedPair> match_ops(const MatchSide& a, const MatchSide& b);

}  // namespace quantlens
