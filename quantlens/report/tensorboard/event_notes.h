// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/plan.h"
#include "quantlens/report/tensorboard/event_graph.h"

namespace quantlens {

/// What a plan does to the reference's ops: what each is computed in, why it stays float, scale and
/// zero point of its result and of its weights. For a quantized network that is not stored itself.
GraphNotes notes_of(const Plan& plan, const GraphOutline& reference);

/// What is known of the quantized network's nodes: the codes of values and weights, what the ops
/// behind them are computed in, and their figures, where there is a diagnosis.
GraphNotes notes_of(const Pairing& pairing, const Diagnosis* diagnosis,
                    const GraphOutline& quantized);

}  // namespace quantlens
