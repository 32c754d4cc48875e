// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/record/tap_state.h"
#include "quantlens/stats/kernels.h"

namespace quantlens {

// What taps gather of single channels, a sample at a time; for Accumulators alone.

/// One tensor's part of a sample, and where its channels lie.
template <class Element>
struct ChannelPart {
  std::span<const Element> values;
  AxisLayout layout;
};

/// Buffers that are kept from call to call.
struct ChannelScratch {
  std::vector<float> floats, errors;
  std::vector<std::uint8_t> codes;
};

/// Adds the sample to `stats.channels` and to the channel histograms that `stats` lists.
/// Throws Errc::bad_input where a listed channel does not exist, or their number has changed.
void add_channels(ValueStats& stats, const ChannelPart<float>& x, ChannelScratch& scratch);

/// Likewise, of the reference x, and of what y means, codes by `how`. REQUIRES: equal layouts.
void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const float> y,
                  Dequantize8 how, ChannelScratch& scratch);
void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const std::uint8_t> y,
                  Dequantize8 how, ChannelScratch& scratch);
void add_channels(PairedStats& stats, const ChannelPart<float>& x, std::span<const std::int8_t> y,
                  Dequantize8 how, ChannelScratch& scratch);

}  // namespace quantlens
