// ONNX Runtime in process, loaded by dlopen. Taps are custom ops that read values as they are
// computed; two models run as one merged graph where they can, so that no inner tensor is stored.
// Start here; then run.cpp (a Run), insert_taps.h (where taps go), session.h (what is loaded).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/runtime/open.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::onnxruntime {

/// As quantlens::open.
std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options);

/// As quantlens::open_timed.
std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options);

RuntimeStatus status();

/// Loads the library where it is there and not loaded yet.
void load();

}  // namespace quantlens::onnxruntime
