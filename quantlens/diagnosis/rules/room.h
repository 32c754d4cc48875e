// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "quantlens/diagnosis/rules/evidence.h"

namespace quantlens {

/// How many times as far as the values the codes reach, on the side where they are closer: of codes
/// centred at 0 for values of one sign, the side of those. Infinite where all values are 0.
double room(const ActivationRow& row, const std::array<double, 2>& reach);

/// What a file's maker leaves beyond the values, of all values whose codes were chosen for
/// themselves (those that are only moved share their writer's).
struct UsualRoom {
  double middle = 1;  ///< the median
  /// From here on a value is out of line with the others: Tukey's fence over the logarithms, 1.5
  /// times the width of the middle half above that half; and nearer to twice the median than to
  /// once.
  double fence = 0;
};

/// Nothing where fewer than eight values tell.
std::optional<UsualRoom> usual_room(const Evidence& evidence);

}  // namespace quantlens
