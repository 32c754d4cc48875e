// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/runtime/run.h"

namespace quantlens::flow {

/// Float outputs by position, without histograms; those of undeclared type count as float.
TapSpec paired_outputs(const ModelPair& models);

/// Runs both models over these samples and pairs their float outputs by position; a step of
/// progress of this name.
TapState output_errors(const ModelPair& models, const FittedData& data, const Samples& samples,
                       const Session& session, const std::string& step);

}  // namespace quantlens::flow
