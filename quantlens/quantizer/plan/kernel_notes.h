// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// Adds a sentence for each thing that a recipe asks of codes, of their form in the file or of the
/// CPU, and that the runtime's kernels decide.
void note_kernels(const Recipe& recipe, const KernelRules& rules, std::vector<std::string>& notes);

}  // namespace quantlens
