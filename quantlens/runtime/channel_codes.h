// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "quantlens/quant/params.h"
#include "quantlens/stats/channel.h"

namespace quantlens {

// Codes of which each channel has a scale and a zero point of its own; for Accumulators alone.

/// What a sample's codes mean. REQUIRES where used: as many params as channels.
struct ChannelCodes {
  std::span<const QParams> params;
  DType dtype = DType::uint8;
  AxisLayout layout;
};

/// Turns codes, which stand there as floats, into what they mean.
void dequantize_channels(const ChannelCodes& codes, std::span<float> values);

/// How many finite values lie outside the range of their channel.
std::uint64_t clipped_in_channels(const ChannelCodes& codes, std::span<const float> values);

}  // namespace quantlens
