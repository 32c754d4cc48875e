// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quantlens/diagnosis/view/channels.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// One channel of a weight: its error and its reach, over its finite pairs.
struct WeightChannel {
  double signal = 0, noise = 0;         ///< sums of x^2 and (x-y)^2
  double product = 0, dequantized = 0;  ///< sums of x y and y^2
  float reach = 0;                      ///< max |x|
  double sqnr_db() const;               ///< +inf where there is no error
  bool is_misfit() const;               ///< whether y = f x with f far from 1
};

/// Of a weight and what its codes mean. REQUIRES: float32, of one shape that has the axis.
std::vector<WeightChannel> weight_channels(const Tensor& before, const Tensor& after, int axis);

/// The one with the lowest SQNR, of equal ones the first; nothing where none has an error.
std::optional<std::size_t> worst_channel(std::span<const WeightChannel> channels);

/// Says which channels get histograms of their own, one weight after the other, as long as the
/// limits suffice: the worst one, the widest and the narrowest ones. All weights are known before
/// the first, so that the first do not take what the last need.
class MarkedWeightChannels {
 public:
  MarkedWeightChannels(std::size_t weights, const ChannelLimits& limits);
  /// Of the next weight, ascending.
  std::vector<std::uint32_t> next(std::span<const WeightChannel> channels);

 private:
  std::size_t each_;  // of one weight
  std::size_t left_;
};

/// Counts both sides of these channels, as floats.
std::vector<PairedChannelHistogram> channel_histograms(std::span<const std::uint32_t> channels,
                                                       const Tensor& before, const Tensor& after,
                                                       int axis);

}  // namespace quantlens
