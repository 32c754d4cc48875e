// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/graph/indexed.h"
#include "quantlens/record/pairing.h"
#include "quantlens/runtime/run.h"

namespace quantlens::flow {

/// Two models that run as one, all values looked at that both have.
struct Lockstep {
  std::unique_ptr<const Indexed> reference, quantized;
  Pairing pairing;
  TapSpec taps;  ///< of all its pairs
  std::unique_ptr<Run> run;
  std::map<std::string, double> seconds;  ///< by phase, where another thread has opened it
};

/// Pairs and opens the two: by now, on a thread of its own, where the session has a core for it and
/// models are small; else when it is asked for, by whoever asks. Both outlive the result, which
/// throws what `open` throws (runtime/open.h). Waits for its thread before it goes.
std::future<Lockstep> open_lockstep(const ModelPair& models, const Session& session);

/// What was made ahead; a wait for it counts as what was waited for.
Lockstep waited_for(std::future<Lockstep> lockstep, const Session& session);

/// How many models like this one may be loaded beside those that are in use: as many as there are
/// cores for, of whose weights the runtime's copies fit into the slack of the budget of memory
/// (design.md 10).
std::uint64_t room_beside(const Model& model, const Session& session);

}  // namespace quantlens::flow
