// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// A change that is about codes, at an op of the reference.
struct CodeChange {
  std::optional<std::size_t> op;  ///< nothing where none is known: of an input
  Change change;
  /// Of this op there is a change by this rule, or another alpha or beta, which is the same one;
  /// empty: nothing is.
  std::optional<ChangeRule> unless;
};

/// Codes that are written and read by different figures, or do not belong to the bias that is added
/// to their product. `anchors`: by number of a node of the reference the one that its pattern is
/// named after.
std::vector<CodeChange> changed_codes(const FloatView& reference, const FloatView& quantized,
                                      const StructureMatch& match,
                                      const std::map<std::size_t, std::size_t>& anchors);

}  // namespace quantlens
