// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quantlens/runtime/channel_taps.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// A tensor as a runtime shows it to a tap, only during the call.
struct TensorView {
  DType dtype = DType::float32;
  std::span<const std::int64_t> shape;
  const void* data = nullptr;  ///< row-major; may be null where an extent is zero
};

/// The same view of a tensor that somebody else keeps alive.
TensorView view(const Tensor& tensor);

/// The accumulators of a Run's taps: what every kind of Run feeds, so that all count alike.
/// `observe` and `compare` of different slots may be called from different threads at once; one
/// slot is only ever fed by one thread at a time; all else is the Run's own thread's. Values of any
/// other numeric dtype are converted to float32 first, a sample at a time.
class Accumulators {
 public:
  /// Throws Errc::bad_input for a value or a pair that is tapped twice.
  explicit Accumulators(const TapSpec& spec);
  ~Accumulators();
  Accumulators(const Accumulators&) = delete;
  Accumulators& operator=(const Accumulators&) = delete;

  /// Opens a step over these samples. Throws Errc::bad_input for a sample already covered since the
  /// last `take`, or given twice, and where there are none.
  void begin(std::span<const std::uint64_t> samples);
  /// Slot i is spec.taps[i]. Throws Errc::bad_input where the sample axis does not divide by the
  /// batch (a batch of one sample owns the whole value, whatever its shape), and for strings.
  void observe(std::size_t slot, const TensorView& value);
  /// Slot i is spec.pairs[i]. Drops the pair where shapes are unequal or dtypes do not match the
  /// tap; one that is dropped may be shown, and counts nothing.
  void compare(std::size_t slot, const TensorView& reference, const TensorView& quantized);
  /// Closes the step: its samples are covered now, and not_tapped() names the pairs that it
  /// dropped. Throws Errc::failed, naming the tap, where a slot was fed never or twice.
  void end();

  /// Everything gathered; empties the accumulators (dropped slots are left out).
  /// Throws Errc::failed where a step was begun and not ended: part of it is counted already.
  TapState take();
  /// Leaves slot out from now on (it could not be placed). REQUIRES: before the first step.
  void drop_tap(std::size_t slot, const std::string& reason);
  void drop_pair(std::size_t slot, const std::string& reason);
  /// What was dropped, of each step in the order of slots.
  const std::vector<NotTapped>& not_tapped() const { return not_tapped_; }
  /// From now on the pair is shown as [N,H,W,C], where its channel axis counts in [N,C,H,W].
  /// REQUIRES: before the first step; a sample axis of 0.
  void show_channels_last(std::size_t slot);

 private:
  class Scratch;
  struct Parts;

  Parts parts_of(const TensorView& value, int sample_axis, const std::string& name) const;
  void add_pairs(std::size_t slot, const TensorView& x, const TensorView& y, const Parts& parts);
  void add_channel_codes(std::size_t slot, const TensorView& x, const TensorView& y,
                         const Parts& parts);
  void clear();

  TapSpec spec_;
  std::vector<std::uint64_t> step_;  // samples of the open step; empty: none is open
  SampleSet samples_;                // covered
  std::vector<ValueStats> values_;   // by slot
  std::vector<PairedStats> pairs_;
  std::vector<PendingChannels> value_channels_;  // likewise
  std::vector<PendingChannels> pair_channels_;
  std::vector<std::uint32_t> fed_;      // times in this step: taps, then pairs
  std::vector<std::uint8_t> dropped_;   // likewise; no bits, for several threads write
  std::vector<bool> channels_last_;     // by slot of a pair
  std::vector<std::string> obstacles_;  // likewise: why this step drops it
  std::vector<NotTapped> not_tapped_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace quantlens
