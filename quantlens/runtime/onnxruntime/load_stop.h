// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include <onnxruntime_cxx_api.h>

namespace quantlens::onnxruntime {

/// While this lives, a session that is made with these options gives up soon after `stop_requested`
/// (asked ten times a second, on a thread of its own; empty: never) says true: its constructor then
/// throws. Without effect before ONNX Runtime 1.22.
class LoadStop {
 public:
  LoadStop(Ort::SessionOptions& options, const std::function<bool()>& stop_requested);
  LoadStop(const LoadStop&) = delete;
  LoadStop& operator=(const LoadStop&) = delete;

 private:
  void watch(const std::stop_token& over);

  Ort::SessionOptions& options_;
  const std::function<bool()>& stop_requested_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;  // last: ends before what it uses goes
};

}  // namespace quantlens::onnxruntime
