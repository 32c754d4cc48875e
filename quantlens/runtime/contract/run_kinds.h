// Every kind of Run that the contract of run.h is checked on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "quantlens/runtime/run.h"

namespace quantlens::contract {

struct RunKind {
  const char* name;
  std::unique_ptr<Run> (*open)(const Model& reference, const Model* quantized, const TapSpec& taps,
                               const RunOptions& options);
  std::string (*missing)();  ///< why it cannot be tested here; empty: it can
};

inline std::ostream& operator<<(std::ostream& out, const RunKind& kind) {
  return out << kind.name;  // in the messages of failed tests
}

const std::vector<RunKind>& run_kinds();

/// Why ONNX Runtime cannot be tested here; empty: it can.
std::string onnxruntime_missing();

}  // namespace quantlens::contract
