// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Whether what a pass gathered is kept apart for each block of samples.
enum class PassBlocks : std::uint8_t {
  apart,  ///< for intervals
  joined  ///< PairStats::join_blocks
};

// What the local passes of a diagnosis gathered, as far as it is read (docs/format.md, "Passes"):
// of each pair PairStats::append_errors_to, and of its error's channels
// ChannelMoments::append_means_to.

void append_pass(const TapState& state, PassBlocks blocks, std::string& out);

/// The reverse, as far as that goes, of all of `in`. Throws Errc::bad_input for any other bytes.
TapState pass_from(std::string_view in);

}  // namespace quantlens
