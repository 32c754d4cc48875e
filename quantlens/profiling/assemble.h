// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "quantlens/graph/model.h"
#include "quantlens/profiling/event_cost.h"
#include "quantlens/profiling/sampler.h"
#include "quantlens/record/profile.h"

namespace quantlens {

/// What a profile says beside its times.
struct ProfileFrame {
  unsigned threads = 1;
  std::uint64_t batch_size = 1;
  EventCost event;
  std::optional<Machine> machine;
};

/// The record of what was timed. The timers' cost is taken off each node, down to nothing.
/// `single`: the same model with one thread, for the scaling; null, or where
/// the runtime made another graph of it: none.
Profile assemble(const Model& file, const RunTimes& samples, const RunTimes* single,
                 const ProfileFrame& frame);

}  // namespace quantlens
