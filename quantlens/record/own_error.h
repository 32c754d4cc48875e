// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// Below this local SQNR an error is greater than the rounding of 8 bits seldom makes, in dB: they
/// make so much of the few wide values that ops read.
inline constexpr double kSeldomRounding = 20;

/// What a row's op adds by itself, in the units of its value, squared: its local MSE without what
/// its rounded inputs make. 0 where that was not measured, as of what is only moved.
double own_mse(const ActivationRow& row);

/// As above, over the mean square of the value; its SQNR is -10 log10 of it.
double own_error(const ActivationRow& row);

/// Whether a row's op makes error, of which a thousandth of the outputs' at least begins there:
/// less changes no figure.
bool makes_error(const ActivationRow& row);

}  // namespace quantlens
