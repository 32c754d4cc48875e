// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/first_error.h"
#include "quantlens/runtime/tensorflow/c_api.h"
#include "quantlens/runtime/tensorflow/tensors.h"

namespace quantlens::tensorflow {

/// An op that hands its first input through, in the same memory, and shows it to a tap of the step
/// whose number is its second input.
inline constexpr const char* kTapOp = "QuantlensTap";
inline constexpr const char* kTapSlot = "slot";  ///< attributes of it
inline constexpr const char* kTapUse = "use";

/// An op that gives what a tap of the same slot has kept in the step whose number is its second
/// input. The first is what it stands for, whose shape it has.
inline constexpr const char* kKeptOp = "QuantlensKept";  ///< has the slot, too

/// What a tap does with what it sees.
enum class TapUse : std::int64_t {
  observe,  ///< shows it to tap `slot`
  keep,     ///< keeps it for `compare` of the same slot, in the other model
  compare,  ///< shows what was kept, and this, to pair tap `slot`
};

/// Makes both ops known to the library, once in a process. Throws Errc::failed where it refuses.
void register_tap_ops(const Api& api);

/// What the taps of a step may ask for.
struct TapLimits {
  std::size_t taps = 0;   ///< how many there are
  std::size_t pairs = 0;  ///< likewise
  bool gives_kept =
      false;  ///< what was kept is there until the step ends, else until it is compared
};

/// Until it is gone, taps that are given its number feed the step. A file may hold such ops, too:
/// what they ask for beyond these limits is refused.
class TapCall {
 public:
  TapCall(const Api& api, Accumulators::Step& step, TapLimits limits);
  ~TapCall();
  TapCall(const TapCall&) = delete;
  TapCall& operator=(const TapCall&) = delete;

  TensorHandle* number() const { return number_.get(); }
  FirstError& errors();  ///< of its taps

  class State;

 private:
  std::unique_ptr<State> state_;
  std::int64_t key_ = 0;
  TensorPtr number_;
};

}  // namespace quantlens::tensorflow
