// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "quantlens/record/diagnosis.h"
#include "quantlens/tuning/strategy.h"

namespace quantlens {

/// Looks for the ops that have to be float on top of a recipe that misses the goal, so that most
/// multiplications stay in int8, and then most ops. `diagnosis` (null: none) is of that recipe.
/// `most_work`: so many multiplications in float are too many.
void keep_least_in_float(Search& search, const Recipe& base, const Diagnosis* diagnosis,
                         std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max());

}  // namespace quantlens
