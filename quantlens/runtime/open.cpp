// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/open.h"

#include <cstdlib>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"
#include "quantlens/runtime/remote/remote.h"

namespace quantlens {
namespace {

using Open = std::unique_ptr<Run> (*)(const Model&, const Model*, const TapSpec&,
                                      const RunOptions&);
using OpenTimed = std::unique_ptr<TimedRun> (*)(const Model&, const TimedOptions&);

/// The runtime that runs the models of a format.
struct Entry {
  std::string_view format;
  const char* runtime;  ///< as a worker is asked for it
  Open open;
  OpenTimed open_timed;
  void (*load)();
};

constexpr Entry kRuntimes[] = {
    {"onnx", "onnxruntime", onnxruntime::open, onnxruntime::open_timed, onnxruntime::load},
};

const Entry& entry_of(std::string_view format) {
  for (const Entry& entry : kRuntimes) {
    if (entry.format == format) return entry;
  }
  throw Error(Errc::unsupported,
              fmt::format("no runtime runs models of format '{}'", printable(format)));
}

remote::Worker worker_for(const Entry& entry, const Isolation& isolation) {
  return {.command = {.program = isolation.program, .arguments = {"worker", entry.runtime}},
          .runtime = entry.runtime,
          .timeout_seconds = isolation.timeout_seconds,
          .stop_requested = isolation.stop_requested};
}

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  if (quantized != nullptr && quantized->format != reference.format) {
    throw Error(Errc::unsupported,
                fmt::format("a model of format '{}' and one of format '{}' cannot run together",
                            printable(reference.format), printable(quantized->format)));
  }
  const Entry& entry = entry_of(reference.format);
  if (!options.isolation) return entry.open(reference, quantized, taps, options);
  return remote::open(worker_for(entry, *options.isolation), reference, quantized, taps, options);
}

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  return entry_of(model.format).open_timed(model, options);
}

void load_runtime(std::string_view format) noexcept {
  try {
    entry_of(format).load();
  } catch (...) {
    return;  // whoever opens the model meets it again, and tells it
  }
}

void decline_telemetry() {
  constexpr int kKeep = 0;  // what the user has set
  setenv("ORT_DISABLE_TELEMETRY", "1", kKeep);
}

std::vector<RuntimeStatus> runtimes() {
  RuntimeStatus oracle;
  oracle.name = "oracle";
  oracle.available = true;
  oracle.version = "built in";
  return {onnxruntime::status(), oracle};
}

}  // namespace quantlens
