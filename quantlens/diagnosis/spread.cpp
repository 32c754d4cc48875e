// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/spread.h"

#include <algorithm>

namespace quantlens {

double width_with_zero(double min, double max) {
  return std::max(max, 0.0) - std::min(min, 0.0);
}

std::optional<double> spread_of(std::vector<double> widths) {
  std::erase(widths, 0.0);
  if (widths.empty()) return std::nullopt;
  std::ranges::sort(widths);
  return widths.back() / widths[widths.size() / 2];
}

}  // namespace quantlens
