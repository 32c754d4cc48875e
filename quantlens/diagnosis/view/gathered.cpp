// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/gathered.h"

#include <algorithm>
#include <tuple>

namespace quantlens {

const PairedStats* gathered_of(const TapState& state, const std::string& reference,
                               const std::string& quantized) {
  const auto names = [](const PairedStats& stats) {
    return std::tie(stats.reference, stats.quantized);
  };
  const auto wanted = std::tie(reference, quantized);
  const auto found = std::ranges::lower_bound(state.pairs, wanted, {}, names);
  return found != state.pairs.end() && names(*found) == wanted ? &*found : nullptr;
}

}  // namespace quantlens
