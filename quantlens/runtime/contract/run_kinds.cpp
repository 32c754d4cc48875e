// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/run_kinds.h"

#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens::contract {

std::string onnxruntime_missing() {
  const RuntimeStatus status = onnxruntime::status();
  return status.available ? std::string() : status.problem;
}

const std::vector<RunKind>& run_kinds() {
  static const std::vector<RunKind> kKinds = {
      {"oracle", oracle::open, [] { return std::string(); }},
      {"onnxruntime", onnxruntime::open, onnxruntime_missing},
  };
  return kKinds;
}

}  // namespace quantlens::contract
