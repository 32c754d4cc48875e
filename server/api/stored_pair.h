// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Of all channels, or of one. Throws Errc::not_found where there is no such pair or channel,
/// Errc::unsupported for a file without an index, Errc::bad_input for a damaged one.
CountedPair counted_pair(Context& context, const Run& run, std::string_view reference,
                         std::string_view quantized, std::optional<std::uint32_t> channel);

/// The files that it is read from.
std::string state_of_pairs(const Run& run);

}  // namespace quantlens::server
