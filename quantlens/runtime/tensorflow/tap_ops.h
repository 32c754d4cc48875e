// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/tensorflow/c_api.h"
#include "quantlens/runtime/tensorflow/tensors.h"

namespace quantlens::tensorflow {

/// An op that hands its first input through, in the same memory, and shows it to a tap of the step
/// whose number is its second input.
inline constexpr const char* kTapOp = "QuantlensTap";
inline constexpr const char* kTapSlot = "slot";  ///< attributes of it
inline constexpr const char* kTapUse = "use";

/// What a tap does with what it sees.
enum class TapUse : std::int64_t {
  observe,  ///< shows it to tap `slot`
  keep,     ///< keeps it for `compare` of the same slot, in the other model
  compare,  ///< shows what was kept, and this, to pair tap `slot`; forgets the former
};

/// Makes the op known to the library, once in a process. Throws Errc::failed where it refuses.
void register_tap_op(const Api& api);

/// How many taps and pairs a step has.
struct TapCounts {
  std::size_t taps = 0;
  std::size_t pairs = 0;
};

/// Until it is gone, taps that are given its number feed the step. A file may hold such ops, too:
/// what they ask for beyond these counts is refused.
class TapCall {
 public:
  TapCall(const Api& api, Accumulators::Step& step, TapCounts counts);
  ~TapCall();
  TapCall(const TapCall&) = delete;
  TapCall& operator=(const TapCall&) = delete;

  TensorHandle* number() const { return number_.get(); }
  /// Throws what a tap threw; an exception must not cross the library.
  void rethrow_error();

  class State;

 private:
  std::unique_ptr<State> state_;
  std::int64_t key_ = 0;
  TensorPtr number_;
};

}  // namespace quantlens::tensorflow
