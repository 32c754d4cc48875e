// The parts of a comparison, each in a file of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/compare/compare.h"

namespace quantlens {

/// An op that both references have, and one that only one has.
struct SameOp {
  OpRef a, b;
  std::string type;
  OpMatchedBy by = OpMatchedBy::id;
};

/// The ops of two references and how they belong together; inputs of the models likewise.
struct OpsTogether {
  std::vector<SameOp> ops;
  std::vector<SameOp> inputs;  ///< their names stand for ops, as in ActivationRow
  std::vector<LoneOp> only_a, only_b;
  std::unordered_map<std::string, std::size_t> by_a;  ///< number in `ops` by id in A
  std::unordered_map<std::string, std::size_t> by_b;  ///< likewise in B
};

/// What of the two runs is the same.
struct Common {
  bool run = false;        ///< they are one
  bool reference = false;  ///< the file of the reference, by its hash
  bool quantized = false;  ///< likewise
  bool crossed = false;    ///< one of them has one model, and that is the other's quantized one
  bool data = false;       ///< the same samples of the same data
};

Common common_of(const RunToCompare& a, const RunToCompare& b);
OpsTogether ops_together(const RunToCompare& a, const RunToCompare& b, const Common& common);
/// Worse ones first, the worst of them first; then better, undecided, equal and unknown ones.
std::vector<ComparedOp> compared_ops(const RunToCompare& a, const RunToCompare& b,
                                     const OpsTogether& ops, const Common& common);
std::vector<ComparedFinding> compared_findings(const RunToCompare& a, const RunToCompare& b,
                                               const OpsTogether& ops);
ComparedAccuracy compared_accuracy(const RunToCompare& a, const RunToCompare& b,
                                   const Common& common);
std::vector<RecipeDifference> recipe_differences(const RunToCompare& a, const RunToCompare& b);
std::vector<PlanDifference> plan_differences(const RunToCompare& a, const RunToCompare& b,
                                             const OpsTogether& ops);
ComparedTimes compared_times(const RunToCompare& a, const RunToCompare& b, const OpsTogether& ops);
/// What may not be set against each other, and why.
Statements caveats_of(const RunToCompare& a, const RunToCompare& b, const Common& common,
                      const Comparison& comparison);
/// The verdict, of all else that the comparison holds.
Statements conclusions_of(const Comparison& comparison, const Common& common);

}  // namespace quantlens
