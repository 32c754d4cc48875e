// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace quantlens {

/// What timing one more node costs, in microseconds: in the node's own time, and in entering and
/// leaving the runtime.
struct EventCost {
  double inside_us = 0;
  double outside_us = 0;
};

/// Measured on chains of cheap ops, of two lengths, run with and without timers in turn: what the
/// longer chain takes more is the cost of its nodes.
EventCost event_cost(unsigned threads);

}  // namespace quantlens
