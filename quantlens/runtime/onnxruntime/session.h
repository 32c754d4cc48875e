// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include "quantlens/base/store.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/onnxruntime/tap_ops.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::onnxruntime {

/// Throws Errc::unsupported for element types that have no DType.
DType dtype_of_element(ONNXTensorElementDataType type);

/// An environment whose messages are dropped: what matters comes back as an error. All that are
/// held at a time are one. The runtime refuses to make one while another thread lets the last one
/// go
/// ("Only one instance of LoggingManager"), so that here the two exclude each other.
std::shared_ptr<Ort::Env> quiet_env();

/// Throws Errc::failed where the system refuses so many threads; the runtime would wait for ever.
void check_threads(unsigned count);

/// The runtime's sentence without the source line and the function that it names first.
std::string reason_of(const Ort::Exception& error);

/// The same memory as the runtime sees it. REQUIRES: the tensor is aligned and outlives the value.
Ort::Value view_of(const Tensor& tensor);

/// What the runtime gave: its memory, or that of an input which it handed through. REQUIRES: it is
/// a tensor.
Tensor tensor_of(Ort::Value value, const NamedTensors& inputs);

/// A model file whose larger weights lie outside it.
struct SessionModel {
  std::string bytes;
  std::map<std::string, Tensor> weights;  ///< those outside, by name in the file
  std::string where;                      ///< for messages
  fs::path data_folder;                   ///< of external data that are in files; empty: none are
};

/// Whether a weight is worth to lie outside: the runtime then reads it where it is, without a copy.
bool is_outside(const Tensor& weight);

/// Phase of the time that passes inside the runtime while it loads.
inline constexpr const char* kLoading = "runtime: load";

struct SessionOptions {
  unsigned threads = 1;
  fs::path optimized_dump;   ///< empty: nowhere
  bool alone = false;        ///< no other session takes turns with it: threads may wait busily
  Phases* phases = nullptr;  ///< told of the loading; null: nobody asks
  std::function<bool()> stop_requested;  ///< asked while it loads; empty: never stops
};

/// One loaded model, all optimisations on. Several threads may run it at once.
class LoadedModel {
 public:
  /// Throws Errc::bad_input where the runtime refuses the model, Errc::unsupported where an output
  /// is no tensor, Errc::interrupted where a stop was requested meanwhile. `taps` must outlive the
  /// session.
  LoadedModel(SessionModel model, const SessionOptions& options, TapOps& taps);

  const std::vector<std::string>& output_names() const { return output_names_; }

  /// All outputs, in the order of their names. Inputs are read where they are; outputs own what the
  /// runtime gave and share it. Throws Errc::failed where the runtime fails.
  std::vector<Tensor> run(const NamedTensors& inputs);

 private:
  std::shared_ptr<Ort::Env> env_;
  std::vector<Tensor> weights_;  // read by the session where they are
  std::string where_;
  Ort::Session session_{nullptr};
  std::vector<std::string> output_names_;
};

}  // namespace quantlens::onnxruntime
