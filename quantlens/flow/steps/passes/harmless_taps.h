// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantlens/diagnosis/rules/observation.h"
#include "quantlens/flow/steps/passes/bare.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/runtime/run.h"

namespace quantlens::flow {

/// So many ways of looking are tried: each loads the quantized model once and runs a few samples.
inline constexpr int kMostTries = 64;

/// Slots of TapSpec::pairs, each list ascending and every slot in one of them.
struct HarmlessTaps {
  std::vector<std::size_t> kept;        ///< all these together change nothing
  std::vector<std::size_t> harmful;     ///< each was tried with others that are kept, and departed
  std::vector<std::size_t> unresolved;  ///< the tries were used up: one of them departs at least
};

/// Finds the pairs that can be looked at with the bare outputs of the quantized model unchanged, by
/// trying groups of them and halving those that depart, large groups first. The float model is not
/// loaded for it. REQUIRES: `options.apart`.
HarmlessTaps harmless_taps(const ModelPair& models, const TapSpec& taps, const BareAnswers& bare,
                           const RunOptions& options);

/// What the runtime makes of the ops around these values where nobody looks at them: read from the
/// graphs that it runs, bare, which is loaded once, and with each of these pairs looked at alone.
/// An empty node where they do not show it. `scratch`: a folder for the graphs.
std::vector<Fusion> fusions_at(const ModelPair& models, const TapSpec& taps,
                               const std::vector<std::size_t>& slots, const RunOptions& options,
                               const fs::path& scratch);

}  // namespace quantlens::flow
