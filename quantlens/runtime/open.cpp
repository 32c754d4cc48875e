// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/open.h"

#include <cstdlib>

#include "quantlens/runtime/formats.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"

namespace quantlens {

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  return Formats().open(reference, quantized, taps, options);
}

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  return Formats().open_timed(model, options);
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

std::vector<RuntimeStatus> runtimes() {
  RuntimeStatus oracle;
  oracle.name = "oracle";
  oracle.available = true;
  oracle.version = "built in";
  return {onnxruntime::status(), oracle};
}

}  // namespace quantlens
