// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/stats/channel.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/moments.h"
#include "quantlens/stats/pair_stats.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// Counts of one channel of a value.
struct ChannelHistogram {
  std::uint32_t channel = 0;
  FloatHistogram histogram;
  bool operator==(const ChannelHistogram&) const = default;
};

/// What a tap gathered of one value. Calibration's statistics are a TapState of these.
struct ValueStats {
  std::string value;
  Moments moments;
  FloatHistogram histogram;  ///< empty where the tap did not ask for it
  int channel_axis = -1;     ///< axis of `channels` in the value's shape; -1: not gathered
  ChannelMoments channels;
  std::vector<ChannelHistogram> channel_histograms;  ///< of the channels asked for, ascending
  bool operator==(const ValueStats&) const = default;
};

/// Both sides' counts of one channel of a pair.
struct PairedChannelHistogram {
  std::uint32_t channel = 0;
  FloatHistogram reference;
  CodeHistogram codes;       ///< where the quantized side is 8-bit
  FloatHistogram quantized;  ///< where it is float
  bool operator==(const PairedChannelHistogram&) const = default;
};

/// What a tap gathered of a pair of values.
struct PairedStats {
  std::string reference;  ///< value of the reference model
  std::string quantized;  ///< value of the quantized model
  PairStats pairs;
  FloatHistogram reference_histogram;
  CodeHistogram code_histogram;        ///< where the quantized side is 8-bit
  FloatHistogram quantized_histogram;  ///< where it is float
  int channel_axis = -1;  ///< axis of what follows, in the value's shape; -1: not gathered
  ChannelMoments reference_channels;
  ChannelMoments error_channels;  ///< of reference - quantized, a difference in float32
  std::vector<PairedChannelHistogram> channel_histograms;  ///< of those asked for, ascending
  bool operator==(const PairedStats&) const = default;
};

/// What the taps of a Run have gathered, and over which samples. Versioned, little-endian bytes,
/// keyed and sorted by value: checkpoint, shard and pipe payload alike (docs/format.md).
struct TapState {
  /// SHA-256 of the reference's file, 64 hexadecimal digits; empty where nobody has said.
  std::string model;
  SampleSet samples;
  std::vector<ValueStats> values;  ///< sorted by value
  std::vector<PairedStats> pairs;  ///< sorted by (reference, quantized)
  bool operator==(const TapState&) const = default;
};

std::string to_bytes(const TapState& state);

/// Where a pair stands in the bytes of a TapState.
struct PairEntry {
  std::string reference;
  std::string quantized;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The same bytes, and where their pairs stand, sorted by (reference, quantized).
std::string to_bytes(const TapState& state, std::vector<PairEntry>& pairs);

/// One pair out of its own bytes. Throws Errc::bad_input for any other ones.
PairedStats pair_from_bytes(std::string_view bytes);
std::string to_bytes(const PairedStats& pair);

/// Throws Errc::bad_input, naming `where`, for anything to_bytes cannot have written, and
/// Errc::unsupported for a newer format version.
TapState tap_state_from_bytes(std::string_view bytes, std::string_view where);

/// Of the same bytes the samples alone, which stand at their front. Throws likewise.
SampleSet samples_from_bytes(std::string_view bytes, std::string_view where);

/// Whether bytes begin as those of a TapState do, of any version.
bool is_tap_state(std::string_view bytes);

/// Adds `other`. Throws Errc::bad_input, with `state` unchanged, where the two share samples, are
/// of different models or were tapped differently. A TapState{} adds nothing, and becomes what is
/// added to it.
void merge(TapState& state, const TapState& other);

}  // namespace quantlens
