// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/run_kinds.h"

#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"
#include "quantlens/runtime/remote/remote.h"

namespace quantlens::contract {
namespace {

template <const char* Runtime>
std::unique_ptr<Run> open_in_worker(const Model& reference, const Model* quantized,
                                    const TapSpec& taps, const RunOptions& options) {
  const remote::Worker worker{
      .command = {.program = QUANTLENS_TEST_WORKER, .arguments = {"worker", Runtime}},
      .runtime = Runtime};
  return remote::open(worker, reference, quantized, taps, options);
}

constexpr char kOnnxruntime[] = "onnxruntime";
constexpr char kOracle[] = "oracle";

std::string nothing_missing() {
  return {};
}

}  // namespace

std::string onnxruntime_missing() {
  const RuntimeStatus status = onnxruntime::status();
  return status.available ? std::string() : status.problem;
}

const std::vector<RunKind>& run_kinds() {
  static const std::vector<RunKind> kKinds = {
      {"oracle", oracle::open, nothing_missing},
      {"onnxruntime", onnxruntime::open, onnxruntime_missing},
      {"oracle_in_a_worker", open_in_worker<kOracle>, nothing_missing},
      {"onnxruntime_in_a_worker", open_in_worker<kOnnxruntime>, onnxruntime_missing},
  };
  return kKinds;
}

}  // namespace quantlens::contract
