// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/code_reach.h"

#include <algorithm>
#include <limits>

namespace quantlens {

std::array<double, 2> reach_of(DType dtype, const QParams& params) {
  const CodeRange codes = code_limits(dtype);
  const double step = params.scale;
  const double one = static_cast<double>(codes.min - params.zero_point) * step;
  const double other = static_cast<double>(codes.max - params.zero_point) * step;
  return {std::min(one, other), std::max(one, other)};
}

double steps_beyond(const FloatView::Value& value, const ClipBounds& bounds) {
  double most = value.sides.empty() ? std::numeric_limits<double>::infinity() : 0;
  for (const CodeSide& side : value.sides) {
    if (!side.codes) return 0;
    for (const QParams& params : side.codes->params) {
      const double step = params.scale;
      const auto [low, high] = reach_of(side.codes->scheme.dtype, params);
      most = std::max({most, (bounds.low - low) / step, (high - bounds.high) / step});
    }
  }
  return most;
}

void add_reach(const FloatView::Value& value, Statement& statement) {
  if (value.sides.empty() || !value.sides.front().codes) return;
  const Codes& codes = *value.sides.front().codes;
  const QParams& params = codes.params.front();
  statement.figures["zero_point"] = figure::whole(params.zero_point);
  statement.figures["codes"] = figure::numbers(reach_of(codes.scheme.dtype, params));
}

}  // namespace quantlens
