// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/comparison.h"

namespace quantlens {

/// Whether B is told as worse than A in an activation or the accuracy (`--fail-on worse`).
struct WorseVerdict {
  bool reached = true;  ///< it is not
  std::string because;  ///< a sentence; empty where it is reached
};

/// What cannot be checked is not passed: a run that did not end well, or two without a figure in
/// common. Of the same models none is worse.
WorseVerdict worse_gate(const Comparison& comparison);

}  // namespace quantlens
