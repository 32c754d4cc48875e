// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/spread.h"

#include <algorithm>

namespace quantlens {

std::optional<double> spread_of(std::vector<double> reaches) {
  std::erase(reaches, 0.0);
  if (reaches.empty()) return std::nullopt;
  std::ranges::sort(reaches);
  return reaches.back() / reaches[reaches.size() / 2];
}

}  // namespace quantlens
