// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"

namespace quantlens {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The batch's tensors under the names of `model`'s inputs; the batch knows them as `reference`'s,
/// by position. Throws Errc::bad_input where they do not fit.
NamedTensors inputs_for(const Model& model, const Model& reference, const Batch& batch);

/// Throws Errc::unsupported where an input is no tensor, or the two cannot be given the same ones.
/// `quantized` may be null.
void check_inputs(const Model& reference, const Model* quantized);

}  // namespace quantlens
