// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/run.h"

#include <algorithm>

namespace quantlens {

void leave_out(const std::vector<NotTapped>& dropped, TapState& state) {
  std::erase_if(state.pairs, [&](const PairedStats& pair) {
    return std::ranges::any_of(dropped, [&](const NotTapped& missed) {
      return missed.value == pair.reference && missed.quantized == pair.quantized;
    });
  });
}

}  // namespace quantlens
