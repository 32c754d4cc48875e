// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/frontend/patch.h"

namespace quantlens {

/// Gives ops back to float inside the quantized model: a patch that computes them as the reference
/// does, with its constants, from what the quantized model's values mean, errors of others
/// included. Ops among them that read each other pass floats, and so do they to ops that have no
/// integer kernel, also where their results are moved, pooled or cut (Reshape, MaxPool and the
/// like); for all others results are in codes as before. An op among them that has no pair computes
/// as in the quantized model, of such floats; it is known by its name or its result's, or by what
/// it reads. Codes of a value that is there in float, also where
/// it is only moved from one and no other op reads codes of it, are not read. Nothing where that
/// cannot be said: an op has no pair, or a body of its own, or reads what the quantized model has
/// nothing for or computes otherwise (that would be mended with it), or more than 64 nodes of the
/// reference lie between it and values that were paired.
std::optional<Patch> float_ops(const PairedModels& models, const std::vector<OpRef>& ops);

}  // namespace quantlens
