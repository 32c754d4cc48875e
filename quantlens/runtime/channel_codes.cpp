// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/channel_codes.h"

#include <cmath>
#include <cstddef>

namespace quantlens {
namespace {

/// Calls `row(first, count, params)` for each run of elements of one channel.
template <class Row>
void for_each_row(const ChannelCodes& codes, const Row& row) {
  const auto& [outer, channels, inner] = codes.layout;
  for (std::size_t i = 0; i < outer * channels; ++i) {
    row(i * inner, inner, codes.params[i % channels]);
  }
}

}  // namespace

void dequantize_channels(const ChannelCodes& codes, std::span<float> values) {
  for_each_row(codes, [&](std::size_t first, std::size_t count, const QParams& params) {
    const auto zero_point = static_cast<float>(params.zero_point);
    for (float& value : values.subspan(first, count)) value = (value - zero_point) * params.scale;
  });
}

std::uint64_t clipped_in_channels(const ChannelCodes& codes, std::span<const float> values) {
  std::uint64_t clipped = 0;
  for_each_row(codes, [&](std::size_t first, std::size_t count, const QParams& params) {
    const Range range = unclipped(params, codes.dtype);
    for (const float value : values.subspan(first, count)) {
      if (std::isfinite(value) && (value < range.min || value > range.max)) ++clipped;
    }
  });
  return clipped;
}

}  // namespace quantlens
