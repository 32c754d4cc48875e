// The worker's side of the pipe: a loop that answers frames. One of the doors: what is thrown here
// becomes an answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/frontend/patch.h"
#include "quantlens/record/checkup.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::remote {

/// A runtime as a worker has it.
struct Served {
  std::string_view name;
  RuntimeStatus (*status)();
  std::span<const std::string_view> formats;  ///< that it reads
  /// A model from its bytes; of a folder, which lies at its path, `file` is empty.
  Model (*read)(const fs::path& path, MappedFile file);
  std::unique_ptr<Run> (*open)(const Model& reference, const Model* quantized, const TapSpec& taps,
                               const RunOptions& options);
  std::unique_ptr<TimedRun> (*open_timed)(const Model& model,
                                          const TimedOptions& options) = nullptr;  ///< null: none
  /// As frontend::apply, of what `read` gave; null: none.
  std::vector<std::string> (*apply)(const Model& model, const Plan& plan,
                                    const std::map<std::string, std::string>& metadata,
                                    Store& store, const fs::path& path) = nullptr;
  /// As frontend::write_patched, of what `read` gave; null: none.
  void (*write_patched)(const Model& model, const Patch& patch, Store& store,
                        const fs::path& path) = nullptr;
  /// Whether `open` and `open_timed` run what lies between the ends of the graph that they are
  /// given, whatever the file's own are.
  bool cuts = false;
};

/// Serves on the socket until the other side asks to end. If that is gone, the process ends at
/// once, even in the middle of a step. Throws Errc::usage where `socket` is none, Errc::failed or
/// bad_input where what comes is no frame. Standard input is /dev/null afterwards.
void serve(const Served& runtime, int socket);

/// Serves one of the runtimes that this library has: "onnxruntime", "tensorflow", or "oracle" for
/// tests. Throws Errc::usage for others.
void serve(std::string_view runtime, int socket);

}  // namespace quantlens::remote
