// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Of a float model that differs from the reference by its weights alone.
struct RoundedWeights {
  Plan plan;     ///< makes it of the reference: batch norms folded, weights as the codes mean them
  TapSpec taps;  ///< of a Run of both: local errors of the ops with such weights
};

/// For the ops that were paired and whose weights are codes in the quantized model, and for those
/// without a weight whose constants are others there (paired_constants); biases stay.
/// Nothing where there are none, or where such weights take more than 256 MB.
std::optional<RoundedWeights> rounded_weights(const PairedModels& models);

}  // namespace quantlens
