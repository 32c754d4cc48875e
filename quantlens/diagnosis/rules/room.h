// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "quantlens/diagnosis/rules/evidence.h"

namespace quantlens {

/// How many times as far as the values the codes reach, on the side where they are closer: of codes
/// centred at 0 for values of one sign, the side of those. Infinite where all values are 0.
double room(const ActivationRow& row, const std::array<double, 2>& reach);

/// Evidence keeps it: every value is held against it. Nothing where fewer than eight values tell.
std::optional<UsualRoom> usual_room(const Evidence& evidence);

}  // namespace quantlens
