// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quantlens/runtime/run.h"

namespace quantlens {

/// A tensor as a runtime shows it to a tap, only during the call.
struct TensorView {
  DType dtype = DType::float32;
  std::span<const std::int64_t> shape;
  const void* data = nullptr;
};

/// The accumulators of a Run's taps: what every kind of Run feeds, so that all count alike.
/// `observe` and `compare` of different slots may be called from different threads at once; one slot is
/// only ever fed by one thread at a time. Float16/bfloat16/double values are converted to float32 first.
class Accumulators {
 public:
  explicit Accumulators(const TapSpec& spec);

  /// Opens a step over these samples. Throws Errc::bad_input for a sample already covered.
  void begin(std::span<const std::uint64_t> samples);
  /// Slot i is spec.taps[i]. Throws Errc::bad_input where the sample axis does not divide by the batch.
  void observe(std::size_t slot, const TensorView& value);
  /// Slot i is spec.pairs[i]. Throws Errc::bad_input where shapes or dtypes do not match the tap.
  void compare(std::size_t slot, const TensorView& reference, const TensorView& quantized);
  /// Closes the step: its samples are covered now. Throws Errc::failed, naming the tap, where a slot
  /// was fed never or twice.
  void end();

  /// Everything gathered; empties the accumulators (slots `without` are left out).
  TapState take();
  /// Leaves slot out from now on (it could not be placed).
  void drop_tap(std::size_t slot);
  void drop_pair(std::size_t slot);

 private:
  struct Slot;
  TapSpec spec_;
  std::vector<std::uint64_t> step_;
  TapState state_;
  std::vector<std::uint32_t> fed_;
  std::vector<bool> dropped_;
};

}  // namespace quantlens
