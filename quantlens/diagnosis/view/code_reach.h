// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/graph/clip_bounds.h"

namespace quantlens {

/// What the least and the greatest code mean.
std::array<double, 2> reach_of(DType dtype, const QParams& params);

/// How far the codes of a value reach beyond these bounds, in steps; infinite for floats.
double steps_beyond(const FloatView::Value& value, const ClipBounds& bounds);

/// "the codes there (zero point 3) reach from -0.3 to 25.2"
std::string reach_words(const FloatView::Value& value);

}  // namespace quantlens
