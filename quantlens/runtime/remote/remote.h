// A Run whose models are in a worker: a child process that speaks frames over a socket (frame.h,
// messages.h; docs/workers.md), with tensors in shared memory. A crash there is an Error here.
// Start here; then client.h (our side), serve.h (the worker's side).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/frontend/patch.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/process.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

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

// What follows is asked of a worker that others ask, too (client.h). It throws what the worker
// throws, and Errc::failed as above; then that worker is of no more use.
class Client;

/// What the worker is and can do.
StatusText status(Client& worker);

/// As frontend::read, by the worker. Weights are views of `file` where they lie in it, else of
/// memory that the worker gives away: neither is copied here. `file` is empty of what is no single
/// file; then the worker reads what is at `path`.
Model read(Client& worker, std::string_view format, const fs::path& path, const MappedFile& file);

/// A model and what is to be made of it.
struct Change {
  const Model& model;
  const Plan& plan;
  const std::map<std::string, std::string>& metadata;
};

/// As frontend::apply, by the worker; what it makes is written here.
std::vector<std::string> apply(Client& worker, const Change& change, Store& store,
                               const fs::path& path);

/// As frontend::write_patched, by the worker; what it makes is written here.
void write_patched(Client& worker, const Model& model, const Patch& patch, Store& store,
                   const fs::path& path);

using Seen = std::function<void(std::size_t turn, const RunTime& time)>;

/// As quantlens::run_in_turn, where all models are in one worker; false where they are not.
bool run_together(std::span<const Turn> turns, const Seen& seen);

/// As quantlens::open_timed, in the worker, where the times are taken.
std::unique_ptr<TimedRun> open_timed(std::shared_ptr<Client> worker, const Model& model,
                                     const TimedOptions& options);

}  // namespace quantlens::remote
