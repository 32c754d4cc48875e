// TensorFlow's own kernels for frozen graphs, through its C API, in a worker's process: a malformed
// op may crash it, and its protobuf clashes with others. The library is found and opened at run
// time. Start here; then run.cpp (a Run), timed.cpp (a TimedRun), session.h (what is loaded),
// c_api.h (what is used of it). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quantlens/record/checkup.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::tensorflow {

/// A frozen graph; of a SavedModel (its folder, whose `file` is empty, or its saved_model.pb) or a
/// Keras file the one that it is frozen to, which then is the model's file. Throws as
/// graphdef::read, and as `frozen` and `export_keras` do.
Model read(const fs::path& path, MappedFile file);

/// Writes what `read` gave as the frozen graph that it is. Throws Errc::unsupported where the plan
/// asks for more: frontend::apply writes that.
std::vector<std::string> write(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path);

/// As quantlens::open. Throws Errc::unsupported for local errors.
std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options);

/// As quantlens::open_timed. The graph of a TimedRun with nodes is known once it has a batch.
std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options);

/// Of this process: loads the library.
RuntimeStatus status();

/// Whether the library's file is there; nothing is loaded, so its version is not known.
RuntimeStatus found();

}  // namespace quantlens::tensorflow
