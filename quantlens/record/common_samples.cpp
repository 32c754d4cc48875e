// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/common_samples.h"

#include <algorithm>

namespace quantlens {

std::optional<std::uint64_t> first_common(const SampleSet& a, const SampleSet& b) {
  auto x = a.ranges().begin();
  auto y = b.ranges().begin();
  while (x != a.ranges().end() && y != b.ranges().end()) {
    if (x->last < y->first) {
      ++x;
    } else if (y->last < x->first) {
      ++y;
    } else {
      return std::max(x->first, y->first);
    }
  }
  return std::nullopt;
}

}  // namespace quantlens
