// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantlens/base/progress.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What timing one more node costs, in microseconds: in the node's own time, and in entering and
/// leaving the runtime.
struct EventCost {
  double inside_us = 0;
  double outside_us = 0;
};

/// Measured on a chain of cheap ops that is run with and without timers in turn. The cost grows
/// with how much a run touches between two timers, so the chain is made like the model: of as many
/// nodes, each giving as many elements (both within limits). `how`: threads, and where models run.
/// Throws Errc::interrupted where progress asks to stop.
EventCost event_cost(TimedOptions how, std::size_t nodes, std::int64_t elements,
                     const Progress& progress);

}  // namespace quantlens
