// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/onnxruntime/session.h"

namespace quantlens::onnxruntime {

/// The batch's tensors under the names of `model`'s inputs; the batch knows them as `reference`'s,
/// by position. Throws Errc::bad_input where they do not fit.
NamedTensors inputs_for(const Model& model, const Model& reference, const Batch& batch);

}  // namespace quantlens::onnxruntime
