// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/model.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// Whether a quantized model was made from `edited`, which is `plain` with other weights as `plan`
/// says: of the weights that differ in the two, those that it has are the edited ones, one at
/// least, and none is the plain one. Weights that fit neither say nothing.
bool has_edited_weights(const Model& quantized, const Model& plain, const Model& edited,
                        const Plan& plan);

}  // namespace quantlens
