// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What timing one more node costs, in microseconds: in the node's own time, and in entering and
/// leaving the runtime.
struct EventCost {
  double inside_us = 0;
  double outside_us = 0;
};

/// What a model is like whose nodes are timed.
struct ChainLike {
  std::string_view format;  ///< which says the runtime
  std::size_t nodes = 0;
  std::int64_t elements = 0;  ///< that each node gives
};

/// Measured on a chain of cheap ops that is run with and without timers in turn. The cost grows
/// with how much a run touches between two timers, so the chain is made like the model (within
/// limits); what one node costs more than none in a chain of one is taken off it. `how`: threads,
/// and where models run. Throws Errc::interrupted where progress asks to stop.
EventCost event_cost(const ChainLike& like, TimedOptions how, const Progress& progress);

}  // namespace quantlens
