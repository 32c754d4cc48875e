// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/lockstep.h"

#include <chrono>
#include <limits>
#include <utility>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/runtime/constants.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

Lockstep opened(const ModelPair& models, RunOptions how, Phases* phases) {
  Phase pairing_up(phases, "pair");
  Lockstep lockstep;
  lockstep.reference = std::make_unique<const Indexed>(indexed(models.reference));
  lockstep.quantized = std::make_unique<const Indexed>(indexed(models.quantized));
  lockstep.pairing = pair(*lockstep.reference, *lockstep.quantized);
  how.watch.phases = phases;
  lockstep.taps = taps_for(lockstep.pairing);
  pairing_up.end();
  const Phase opening(phases, "open");
  lockstep.run = open(models.reference, &models.quantized, lockstep.taps, how);
  return lockstep;
}

std::uint64_t weight_bytes(const Model& model) {
  std::uint64_t sum = 0;
  for (const auto& [name, weight] : model.graph.weights) sum += weight.bytes().size();
  return sum;
}

}  // namespace

std::uint64_t room_beside(const Model& model, const Session& session) {
  if (session.threads < 2) return 0;
  constexpr std::uint64_t kSlack = std::uint64_t{32} << 20U;
  const std::uint64_t each = 2 * weight_bytes(model);  // as they are, and packed
  return each == 0 ? std::numeric_limits<std::uint64_t>::max() : kSlack / each;
}

std::future<Lockstep> open_lockstep(const ModelPair& models, const Session& session) {
  const RunOptions how = run_options(session);
  // Phases, and whether an isolated run is to stop, are for the session's own thread.
  if (session.isolation || room_beside(models.reference, session) == 0) {
    return std::async(std::launch::deferred, opened, models, how, session.phases);
  }
  return std::async(std::launch::async, [models, how] {
    Phases phases;
    Lockstep lockstep = opened(models, how, &phases);
    lockstep.seconds = phases.seconds();
    return lockstep;
  });
}

Lockstep waited_for(std::future<Lockstep> lockstep, const Session& session) {
  const ProgressStep loading(session.progress, "load both models as one", std::nullopt);
  const auto begun = std::chrono::steady_clock::now();
  Lockstep made = lockstep.get();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
  if (session.phases != nullptr) session.phases->spread(waited.count(), made.seconds);
  return made;
}

}  // namespace quantlens::flow
