// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// The least and the greatest value that codes mean; a foreign file may have scales below 0.
std::array<double, 2> reach_of(DType dtype, const QParams& params);

/// How far the codes of a value reach beyond these bounds, in steps; infinite for floats.
double steps_beyond(const FloatView::Value& value, const ClipBounds& bounds);

/// Adds the figures `zero_point` and `codes`, how far a value's codes reach; none of floats.
void add_reach(const FloatView::Value& value, Statement& statement);

}  // namespace quantlens
