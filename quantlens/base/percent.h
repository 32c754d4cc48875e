// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace quantlens {

/// A share of 0 to 1 as a percentage of two digits or so, without the sign and never with an
/// exponent: "0", "0.012", "3.4", "57", "100". Neither nothing nor all is said where it is not so:
/// "under 0.001", "over 99".
std::string percent_text(double share);

/// A share as a whole percentage, without the sign: "-12", "0", "100"; never "-0".
std::string whole_percent(double share);

/// A gain or loss as a share of what there was: "-1.20 %", "0.00 %", "over 1000000 %", "under
/// -1000000 %"; never with an exponent, nor with a sign where that would be a zero's.
/// REQUIRES: it is a number.
std::string change_text(double share);

}  // namespace quantlens
