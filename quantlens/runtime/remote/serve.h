// The worker's side of the pipe: a loop that answers frames. One of the doors: what is thrown here
// becomes an answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "quantlens/runtime/run.h"

namespace quantlens::remote {

/// A runtime as a worker has it.
struct Served {
  std::string_view name;
  std::string (*version)();
  Model (*read)(const fs::path& path, MappedFile file);  ///< a model that came as an open file
  std::unique_ptr<Run> (*open)(const Model& reference, const Model* quantized, const TapSpec& taps,
                               const RunOptions& options);
};

/// Serves on the socket until the other side asks to end. If that is gone, the process ends at
/// once, even in the middle of a step. Throws Errc::usage where `socket` is none, Errc::failed or
/// bad_input where what comes is no frame. Standard input is /dev/null afterwards.
void serve(const Served& runtime, int socket);

/// Serves one of the runtimes that this library has: "onnxruntime", or "oracle" for tests. Throws
/// Errc::usage for others.
void serve(std::string_view runtime, int socket);

}  // namespace quantlens::remote
