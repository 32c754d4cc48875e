// ONNX Runtime in process, loaded by dlopen. Taps are pass-through custom ops in the graph; two
// models run as one merged graph, so that no inner tensor is stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/runtime/open.h"
#include "quantlens/runtime/run.h"

namespace quantlens::onnxruntime {

/// As quantlens::open.
std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options);

RuntimeStatus status();

}  // namespace quantlens::onnxruntime
