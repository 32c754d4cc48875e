// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/tap_state.h"
#include "server/api/binned.h"
#include "server/api/context.h"

namespace quantlens::server {

/// What was counted of a pair of values or weights, as stretches of values.
struct CountedPair {
  std::vector<Stretch> reference;
  /// Empty where it was not counted, or where its codes mean something else in each channel.
  std::vector<Stretch> quantized;
  std::vector<std::uint32_t> channels;  ///< of which there are counts of their own
};

/// A pair of values or weights as histograms.bin has it. Throws Errc::not_found where there is no
/// such pair, Errc::unsupported for a file without an index, Errc::bad_input for a damaged one.
PairedStats stored_pair(const Context& context, const Run& run, std::string_view reference,
                        std::string_view quantized);

/// Of all channels, or of one. Throws as stored_pair does, and Errc::not_found where there is no
/// such channel.
CountedPair counted_pair(Context& context, const Run& run, std::string_view reference,
                         std::string_view quantized, std::optional<std::uint32_t> channel);

/// The same of a pair that was read already.
CountedPair counted_pair(Context& context, const Run& run, const PairedStats& pair,
                         std::optional<std::uint32_t> channel);

/// The files that it is read from.
std::string state_of_pairs(const Run& run);

}  // namespace quantlens::server
