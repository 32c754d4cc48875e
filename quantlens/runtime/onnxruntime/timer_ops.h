// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::onnxruntime {

/// Operator set of the op below.
inline constexpr const char* kTimerDomain = "quantlens.timer";

/// A node that notes the time once these values are there. It gives nothing.
Node timer_node(std::size_t slot, const std::vector<std::string>& values, const std::string& name);

/// When the timer of a slot was reached.
struct Stamp {
  std::size_t slot = 0;
  std::uint64_t ns = 0;  ///< of the steady clock
};

/// Nanoseconds of the steady clock.
std::uint64_t now_ns();

/// The kernels behind timer nodes, and what they note. Outlives the session it is registered with;
/// one run at a time.
class TimerOps {
 public:
  /// `values`: of each slot, the names that `timer_node` was given.
  explicit TimerOps(std::vector<std::vector<std::string>> values);
  ~TimerOps();
  TimerOps(const TimerOps&) = delete;
  TimerOps& operator=(const TimerOps&) = delete;

  void add_to(Ort::SessionOptions& options);
  /// Forgets the stamps.
  void begin();
  /// Since then, in order.
  const std::vector<Stamp>& stamps() const;
  /// Of all values that any timer has met first.
  const ValueTypes& types() const;

 private:
  struct Ops;
  std::unique_ptr<Ops> ops_;
};

}  // namespace quantlens::onnxruntime
