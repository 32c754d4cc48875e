// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/open.h"

#include <algorithm>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/runtime/formats.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/remote/remote.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"
#include "quantlens/runtime/workers.h"

namespace quantlens {

namespace {

RuntimeStatus tensorflow_status(Workers* workers) {
  RuntimeStatus status = tensorflow::found();
  if (!status.available || workers == nullptr) return status;
  try {
    const remote::StatusText told = remote::status(*workers->worker(status.name));
    status.version = told.version;
    status.where = told.where.empty() ? status.where : told.where;
    status.problem = told.problem;
  } catch (const Error& error) {
    status.problem = error.what();
  }
  status.available = status.problem.empty();
  return status;
}

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  return Formats().open(reference, quantized, taps, options);
}

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  return Formats().open_timed(model, options);
}

void run_in_turn(std::span<const Turn> turns,
                 const std::function<void(std::size_t turn, const RunTime& time)>& seen) {
  if (remote::run_together(turns, seen)) return;
  for (std::size_t i = 0; i < turns.size(); ++i) seen(i, turns[i].model->run(turns[i].batch));
}

std::size_t turns_at_once(double seconds) {
  constexpr double kSeconds = 0.02;
  constexpr double kMost = 64;
  return static_cast<std::size_t>(std::clamp(kSeconds / std::max(seconds, 1e-9), 1.0, kMost));
}

void load_runtime(std::string_view format) noexcept {
  try {
    Formats().load(format);
  } catch (...) {
    return;  // whoever opens the model meets it again, and tells it
  }
}

void decline_telemetry() {
  constexpr int kKeep = 0;  // what the user has set
  setenv("ORT_DISABLE_TELEMETRY", "1", kKeep);
}

std::vector<RuntimeStatus> runtimes(Workers* workers) {
  RuntimeStatus oracle;
  oracle.name = "oracle";
  oracle.available = true;
  oracle.version = "built in";
  return {onnxruntime::status(), oracle, tensorflow_status(workers)};
}

}  // namespace quantlens
