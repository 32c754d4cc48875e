// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// How much is gathered of single channels, over all pairs of values together, and over all
/// weights. A channel's sums take some 370 bytes, the histograms of both sides some 28 KB.
struct ChannelLimits {
  std::size_t channels = 100'000;
  std::size_t histograms = 600;
  std::size_t histograms_of_one = 16;
  std::size_t channels_of_a_histogram = 8;  ///< one in so many, so that counting stays cheap
};

/// The widest of some channels, the narrowest, the second widest, ...: at most `most`. `reaches`:
/// of each the greatest absolute value; of equal ones the first is the wider.
std::vector<std::uint32_t> marking_order(const std::vector<float>& reaches, std::size_t most);

/// Sets `channel_axis` of the pairs whose values surely have channels, and marks which channels get
/// histograms: those with the widest and the narrowest weights (by their greatest absolute value),
/// known before anything is run, so that every shard marks the same. Channels are those of Conv,
/// ConvTranspose, Gemm and MatMul, and of what computes element by element from there on.
/// Where the limits do not suffice, each pair marks fewer, at least two; the last pairs get none.
/// `index` knows the constants of `prepared`.
void mark_channels(const GraphIndex& index, const Prepared& prepared, Pairing& pairing,
                   const ChannelLimits& limits = {});

}  // namespace quantlens
