// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include "quantlens/base/error.h"

namespace quantlens {

/// What taps threw in a step, while a runtime's code was between them and us, which no exception
/// may cross. Safe from several threads.
class FirstError {
 public:
  /// Keeps the exception that is being handled, if it is the first.
  void keep() noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  bool is_kept() {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }
  /// Throws what was kept, once.
  void rethrow() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Runs a model. What a tap threw is the reason of a failure; the runtime only knows that there was
/// one.
template <class Run>
auto run_with(FirstError& taps, const Run& run) {
  try {
    return run();
  } catch (const Error&) {
    taps.rethrow();
    throw;
  }
}

}  // namespace quantlens
