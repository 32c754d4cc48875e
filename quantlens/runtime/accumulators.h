// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "quantlens/runtime/run.h"

namespace quantlens {

/// A tensor as a runtime shows it to a tap, only during the call.
struct TensorView {
  DType dtype = DType::float32;
  std::span<const std::int64_t> shape;
  const void* data = nullptr;  ///< row-major; may be null where an extent is zero
};

struct SampleParts;
class PartRoom;

/// The same view of a tensor that somebody else keeps alive.
TensorView view(const Tensor& tensor);

/// The accumulators of a Run's taps: what every kind of Run feeds, so that all count alike. Several
/// steps may be open at once, each fed by threads of its own; of steps that share a part of a slot
/// (tap_parts.h) one waits for the other (ADR 0032). Nothing depends on which comes first.
/// Values of any other numeric dtype are converted to float32 first, a sample at a time.
class Accumulators {
 public:
  /// Throws Errc::bad_input for a value or a pair that is tapped twice.
  explicit Accumulators(const TapSpec& spec);
  ~Accumulators();
  Accumulators(const Accumulators&) = delete;
  Accumulators& operator=(const Accumulators&) = delete;

  /// One batch on its way through the model. Different slots of a step may be fed from different
  /// threads at once. A step that is not ended, because something was thrown, spoils the whole.
  class Step {
   public:
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    /// Slot i is spec.taps[i]. Throws Errc::bad_input where the sample axis does not divide by the
    /// batch (a batch of one sample owns the whole value, whatever its shape), and for strings.
    void observe(std::size_t slot, const TensorView& value);
    /// Slot i is spec.pairs[i]. Drops the pair where shapes are unequal or dtypes do not match the
    /// tap; one that is dropped may be shown, and counts nothing.
    void compare(std::size_t slot, const TensorView& reference, const TensorView& quantized);
    /// Closes the step: not_tapped() then names the pairs that it dropped. Throws Errc::failed,
    /// naming the tap, where a slot was fed never or twice.
    void end();

   private:
    friend class Accumulators;
    Step(Accumulators& home, std::span<const std::uint64_t> samples, std::size_t lane);
    void add_pairs(std::size_t slot, const TensorView& x, const TensorView& y,
                   const SampleParts& parts);
    void add_channel_codes(std::size_t slot, const TensorView& x, const TensorView& y,
                           const SampleParts& parts);

    Accumulators& home_;
    std::vector<std::uint64_t> samples_;
    std::size_t lane_;                    // no open step has the same
    std::vector<std::uint32_t> fed_;      // times: taps, then pairs
    std::vector<std::string> obstacles_;  // by slot of a pair: why it is none
  };

  /// Opens a step over these samples. Throws Errc::bad_input for a sample that any step since the
  /// last `take` was opened for, or given twice, and where there are none.
  Step begin(std::span<const std::uint64_t> samples);

  /// Everything gathered; empties the accumulators (dropped slots are left out). Throws
  /// Errc::failed where a step was begun and not ended: part of it is counted already.
  TapState take();
  /// Leaves slot out from now on (it could not be placed). REQUIRES: before the first step.
  void drop_tap(std::size_t slot, const std::string& reason);
  void drop_pair(std::size_t slot, const std::string& reason);
  /// What was dropped: before the first step in the order of these calls, then between one `take`
  /// and the next by the first sample of the batch that showed it, and by slot. REQUIRES: no step
  /// is open.
  const std::vector<NotTapped>& not_tapped() const { return not_tapped_; }
  /// From now on the pair is shown as [N,H,W,C], where its channel axis counts in [N,C,H,W].
  /// REQUIRES: before the first step; a sample axis of 0.
  void show_channels_last(std::size_t slot);

 private:
  class Scratch;
  struct ValueSlot;
  struct PairSlot;
  struct Drop;

  void clear();
  void list_drops();

  TapSpec spec_;
  std::vector<ValueSlot> values_;  // by slot; each has locks of its own
  std::vector<PairSlot> pairs_;
  std::mutex mutex_;                   // of what follows
  std::vector<bool> lanes_;            // by lane: whether a step has it that is not ended
  std::uint64_t takes_ = 0;            // how often `take` was called
  SampleSet samples_;                  // of all steps since
  std::vector<NotTapped> not_placed_;  // dropped before the first step
  std::map<std::size_t, Drop> drops_;  // by slot of a pair: dropped by a step
  std::vector<NotTapped> not_tapped_;  // both
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<PartRoom> part_room_;
};

}  // namespace quantlens
