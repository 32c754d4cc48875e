// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/record/profile.h"

namespace quantlens {

/// The quantized model as it is, and with some ops in float, timed in turn.
struct RemedyTimes {
  Ratio ratio;                 ///< of wall times: with them in float over as it is
  std::vector<OpTime> before;  ///< as it is, joined with the reference
  std::vector<OpTime> after;   ///< with them in float, likewise
};

/// Why a remedy was not timed.
struct NotTimed {
  Statement why;
};

/// Times a fragment of a recipe. Throws an Error where that fails.
using TimeRemedy = std::function<std::variant<RemedyTimes, NotTimed>(const json::Value& remedy)>;

/// Tries the first `count` findings of the pair by themselves: all ops of one in float, then
/// without those that lose in float, three trials at most. Sets `remedy` where a trial's whole
/// interval is below 1, `trial`, else `not_tried`, and adds to `reasons` what came of it. The times
/// of the float model are those of ops whose neighbours are float, too: they are no promise.
/// `reference` is the graph of the float model's file. Throws Errc::interrupted as `time` does,
/// nothing else of its.
void try_remedies(const Graph& reference, std::uint64_t count, const TimeRemedy& time,
                  ProfileRecord& pair);

}  // namespace quantlens
