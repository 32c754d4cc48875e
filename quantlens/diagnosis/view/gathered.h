// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What was gathered of a pair, by the names of its two sides; null where nothing was.
const PairedStats* gathered_of(const TapState& state, const std::string& reference,
                               const std::string& quantized);

}  // namespace quantlens
