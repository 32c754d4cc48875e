// A Run whose models are in a worker: a child process that speaks frames over a socket (frame.h,
// messages.h; docs/workers.md), with tensors in shared memory. A crash there is an Error here.
// Start here; then client.h (our side), serve.h (the worker's side).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "quantlens/runtime/remote/process.h"
#include "quantlens/runtime/run.h"

namespace quantlens::remote {

/// A program that serves a runtime on its standard input.
struct Worker {
  Command command;
  std::string runtime;                   ///< that it must be; "onnxruntime"
  double timeout_seconds = 600;          ///< how long it may be silent when it is asked
  std::function<bool()> stop_requested;  ///< as Isolation's
};

/// As quantlens::open, in a worker; throws what the runtime there throws. Whatever ends the worker,
/// or makes it useless, throws Errc::failed: what it was doing, how it ended, what it printed last.
/// Then, and with the Run, the worker is ended and waited for. `options.isolation` does not matter.
std::unique_ptr<Run> open(const Worker& worker, const Model& reference, const Model* quantized,
                          const TapSpec& taps, const RunOptions& options);

}  // namespace quantlens::remote
