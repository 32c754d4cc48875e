// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>

#include "quantlens/diagnosis/rules/observation.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/bare.h"
#include "quantlens/flow/steps/passes/lockstep.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"

namespace quantlens::flow {

/// What a diagnosis is made from.
struct Observed {
  std::unique_ptr<const Indexed> reference, quantized;
  Pairing pairing;
  TapState state;
  Observation observation;
};

/// What two models are run over, and where it is recorded.
struct Work {
  const FittedData& data;
  const MeasureOptions& options;
  const Session& session;
  WorkloadWriter& workload;
};

/// Runs both models in lockstep over the data, in a way that does not change what the quantized one
/// computes: as one model; where its outputs are then not the bare ones, apart; and where that does
/// not help, without looking at those values that it is about, which are found by trying. Writes
/// pairing.json as soon as it is known. `first` is the two as one model, `bare` of the same files
/// over the same data.
Observed observe(const ModelPair& models, std::future<Lockstep> first, const BareAnswers& bare,
                 const Work& work);

}  // namespace quantlens::flow
