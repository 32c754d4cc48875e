// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/load_stop.h"

#include <chrono>

#include "quantlens/runtime/onnxruntime/library.h"

namespace quantlens::onnxruntime {

LoadStop::LoadStop(Ort::SessionOptions& options, const std::function<bool()>& stop_requested)
    : options_(options), stop_requested_(stop_requested) {
  if (!stop_requested || library().cancel_loading == nullptr) return;
  thread_ = std::jthread([this](const std::stop_token& over) { watch(over); });
}

void LoadStop::watch(const std::stop_token& over) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  while (!over.stop_requested()) {
    over_.wait_for(lock, over, kBetween, [] { return false; });
    if (over.stop_requested() || !stop_requested_()) continue;
    const Ort::Status ignored(library().cancel_loading(options_, true));
    return;
  }
}

}  // namespace quantlens::onnxruntime
