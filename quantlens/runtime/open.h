// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/checkup.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Opens `reference`, and in lockstep with it `quantized` if given (not null), in the runtime of
/// the model's format; in a process of its own where `options` ask for isolation. Both must outlive
/// the Run. Throws Errc::not_found where the runtime is not installed (naming what was tried),
/// Errc::bad_input where it refuses a model, Errc::unsupported where the two cannot run together.
std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options);

/// Loads the library that opening a model of this format needs, which takes a while; another thread
/// may do it while data are read. What fails is told by `open`.
void load_runtime(std::string_view format) noexcept;

/// Says to the runtimes that they are not to report about their use: ONNX Runtime from 1.29 on
/// sends events about models and runs to its maker, and keeps a database of them in the user's
/// cache. A setting of the user's own stands. REQUIRES: no model was opened yet, and no other
/// thread runs.
void decline_telemetry();

/// All that this quantlens knows, also those that are not installed. What runs in workers alone is
/// asked there; without `workers` its version is not told.
std::vector<RuntimeStatus> runtimes(Workers* workers = nullptr);

}  // namespace quantlens
