// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/lockstep.h"

#include <limits>

#include "quantlens/diagnosis/pair.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

Lockstep opened(const ModelPair& models, const RunOptions& how, Phases* phases) {
  Phase pairing_up(phases, "pair");
  Lockstep lockstep{.pairing = pair(models.reference, models.quantized), .taps = {}, .run = {}};
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
  RunOptions how = run_options(session);
  // Phases, and whether to stop, are for the session's own thread.
  const bool is_early = !session.isolation && room_beside(models.reference, session) > 0;
  if (is_early) how.watch = {};
  return std::async(is_early ? std::launch::async : std::launch::deferred,
                    [models, how, phases = is_early ? nullptr : session.phases] {
                      return opened(models, how, phases);
                    });
}

}  // namespace quantlens::flow
