// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/accumulators.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/channel_codes.h"
#include "quantlens/runtime/sample_parts.h"
#include "quantlens/runtime/tap_checks.h"

namespace quantlens {

struct Accumulators::ValueSlot {
  bool dropped = false;  // before the first step
  std::mutex mutex;      // of what follows
  ValueStats stats;
  PendingChannels channels;
};

struct Accumulators::PairSlot {
  bool not_placed = false;  // dropped before the first step
  bool channels_last = false;
  std::mutex mutex;  // of what follows
  bool dropped = false;
  PairedStats stats;
  PendingChannels channels;

  void empty() {
    stats = {};
    channels = {};
  }
};

/// A pair that a step found to be none.
struct Accumulators::Drop {
  std::uint64_t takes = 0;   ///< that were before it
  std::uint64_t sample = 0;  ///< the first of the step's
  std::string reason;
};

/// Buffers that grow to the largest sample's part and are kept, as many as threads ever feed at
/// once.
class Accumulators::Scratch {
 public:
  struct Buffers {
    std::vector<float> x, y, errors;
    std::vector<std::uint8_t> codes;
  };

  /// Buffers borrowed for one call.
  class Lease {
   public:
    explicit Lease(Scratch& from) : from_(from), buffers_(from.borrow()) {}
    ~Lease() { from_.give_back(std::move(buffers_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Buffers* operator->() { return buffers_.get(); }

   private:
    Scratch& from_;
    std::unique_ptr<Buffers> buffers_;
  };

 private:
  std::unique_ptr<Buffers> borrow() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(++made_);  // so that giving back never allocates
      return std::make_unique<Buffers>();
    }
    std::unique_ptr<Buffers> buffers = std::move(free_.back());
    free_.pop_back();
    return buffers;
  }

  void give_back(std::unique_ptr<Buffers> buffers) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffers));
  }

  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<Buffers>> free_;
};

namespace {

template <class Histogram>
std::vector<Histogram> empty_histograms(const std::vector<std::uint32_t>& channels) {
  std::vector<Histogram> all(channels.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].channel = channels[i];
  return all;
}

/// Another step holds a tap for some ten microseconds; to sleep and be woken takes longer.
std::unique_lock<std::mutex> locked_soon(std::mutex& mutex) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (lock) return lock;
    std::this_thread::yield();
  }
  return std::unique_lock(mutex);
}

/// The places of elements in the order of what `projection` gives of them.
template <class Element, class Projection>
std::vector<std::size_t> in_order_of(const std::vector<Element>& elements, Projection projection) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> decltype(auto) {
    return std::invoke(projection, elements[i]);
  });
  return order;
}

NotTapped not_tapped_pair(const PairTap& pair, const std::string& reason) {
  return {.value = pair.reference, .quantized = pair.quantized, .reason = reason};
}

std::span<const std::int8_t> as_signed(std::span<const std::uint8_t> codes) {
  return {reinterpret_cast<const std::int8_t*>(codes.data()), codes.size()};
}

}  // namespace

TensorView view(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), tensor.bytes().data()};
}

Accumulators::Accumulators(const TapSpec& spec)
    : spec_(spec),
      values_(spec.taps.size()),
      pairs_(spec.pairs.size()),
      scratch_(std::make_unique<Scratch>()) {
  check_taps(spec_);
  clear();
}

Accumulators::~Accumulators() = default;

Accumulators::Step::Step(Accumulators& home, std::span<const std::uint64_t> samples)
    : home_(home),
      samples_(samples.begin(), samples.end()),
      fed_(home.values_.size() + home.pairs_.size()),
      obstacles_(home.pairs_.size()) {}

Accumulators::Step Accumulators::begin(std::span<const std::uint64_t> samples) {
  if (samples.empty()) throw Error(Errc::bad_input, "a batch has no samples");
  const std::lock_guard lock(mutex_);
  SampleSet here;
  for (const std::uint64_t sample : samples) {
    if (here.contains(sample) || samples_.contains(sample)) {
      throw Error(
          Errc::bad_input,
          fmt::format("sample {} is in the data twice; its statistics would count double", sample));
    }
    here.insert(sample);
  }
  samples_.merge(here);
  ++open_steps_;
  return Step(*this, samples);
}

void Accumulators::Step::observe(std::size_t slot, const TensorView& value) {
  const Tap& tap = home_.spec_.taps[slot];
  const SampleParts parts = parts_of(value, samples_.size(), tap.sample_axis, tap.value);
  std::optional<AxisLayout> layout;
  if (tap.channel_axis) layout = channel_layout(parts.sample_shape, *tap.channel_axis, tap.value);
  ++fed_[slot];
  Scratch::Lease scratch(*home_.scratch_);
  ValueSlot& to = home_.values_[slot];
  const std::unique_lock lock = locked_soon(to.mutex);
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> part = floats_of(value, parts, s, nullptr, scratch->x);
    if (tap.histogram) {
      to.stats.histogram.add(part, samples_[s], to.stats.moments);
    } else {
      to.stats.moments.add(samples_[s], part);
    }
    if (layout) to.channels.add({part, *layout}, to.stats);
  }
}

void Accumulators::Step::compare(std::size_t slot, const TensorView& reference,
                                 const TensorView& quantized) {
  const PairTap& pair = home_.spec_.pairs[slot];
  PairSlot& to = home_.pairs_[slot];
  if (to.not_placed) return;
  obstacles_[slot] = obstacle_of(pair, reference, quantized, to.channels_last);
  if (!obstacles_[slot].empty()) {
    const std::lock_guard lock(to.mutex);
    to.dropped = true;
    to.empty();
    return;
  }
  const SampleParts parts = parts_of(reference, samples_.size(), pair.sample_axis, pair.reference);
  ++fed_[home_.values_.size() + slot];
  if (pair.channel_params.empty()) {
    add_pairs(slot, reference, quantized, parts);
  } else {
    add_channel_codes(slot, reference, quantized, parts);
  }
}

void Accumulators::Step::add_channel_codes(std::size_t slot, const TensorView& x,
                                           const TensorView& y, const SampleParts& parts) {
  const PairTap& pair = home_.spec_.pairs[slot];
  PairSlot& to = home_.pairs_[slot];
  PairedStats& stats = to.stats;
  const auto layout_of = [&](int axis) {
    return channel_layout(parts.sample_shape, shown_axis(axis, to.channels_last), pair.reference);
  };
  const ChannelCodes codes{
      .params = pair.channel_params, .dtype = y.dtype, .layout = layout_of(*pair.scheme->axis)};
  std::optional<AxisLayout> layout;
  if (pair.channel_axis) layout = layout_of(*pair.channel_axis);
  Scratch::Lease scratch(*home_.scratch_);
  const std::unique_lock lock = locked_soon(to.mutex);
  if (to.dropped) return;
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> xs = floats_of(x, parts, s, nullptr, scratch->x);
    const std::span<const float> ys = floats_of(y, parts, s, nullptr, scratch->y);
    dequantize_channels(codes, std::span(scratch->y.data(), ys.size()));
    ChunkDone done;
    if (layout) done = to.channels.follow({xs, *layout}, ys, {}, scratch->errors, stats);
    stats.pairs.add(samples_[s], xs, ys, PairStats::kNoClip, done);
    stats.pairs.add_clipped(samples_[s], clipped_in_channels(codes, xs));
    if (pair.histogram) stats.reference_histogram.add(xs);
    if (pair.histogram) stats.quantized_histogram.add(ys);
  }
}

void Accumulators::Step::add_pairs(std::size_t slot, const TensorView& x, const TensorView& y,
                                   const SampleParts& parts) {
  const PairTap& pair = home_.spec_.pairs[slot];
  PairSlot& to = home_.pairs_[slot];
  PairedStats& stats = to.stats;
  ClipRange clip = PairStats::kNoClip;
  if (pair.params) {
    const Range range = unclipped(*pair.params, y.dtype);
    clip = {range.min, range.max};
  }
  const QParams params = pair.params.value_or(QParams{});
  const Dequantize8 how{params.scale, params.zero_point};
  std::optional<AxisLayout> layout;
  if (pair.channel_axis) {
    const int axis = shown_axis(*pair.channel_axis, to.channels_last);
    layout = channel_layout(parts.sample_shape, axis, pair.reference);
  }
  Scratch::Lease scratch(*home_.scratch_);
  const std::unique_lock lock = locked_soon(to.mutex);
  if (to.dropped) return;
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::uint64_t sample = samples_[s];
    const std::span<const float> xs = floats_of(x, parts, s, nullptr, scratch->x);
    const auto follow = [&](auto ys) {
      if (!layout) return ChunkDone();
      return to.channels.follow({xs, *layout}, ys, how, scratch->errors, stats);
    };
    const auto add_codes = [&](auto ys) {
      const CodeReading reading{.how = how, .clip = clip};
      if (!pair.histogram) return stats.pairs.add(sample, xs, ys, reading, follow(ys));
      stats.pairs.add(
          sample, xs, ys, reading,
          {.x = stats.reference_histogram, .y = stats.code_histogram, .done = follow(ys)});
    };
    if (y.dtype == DType::uint8) {
      add_codes(codes_of(y, parts, s, scratch->codes));
    } else if (y.dtype == DType::int8) {
      add_codes(as_signed(codes_of(y, parts, s, scratch->codes)));
    } else {
      const auto ys = floats_of(y, parts, s, pair.params ? &params : nullptr, scratch->y);
      stats.pairs.add(sample, xs, ys, clip, follow(ys));
      if (pair.histogram) stats.reference_histogram.add(xs);
      if (pair.histogram) stats.quantized_histogram.add(ys);
    }
  }
}

void Accumulators::Step::end() {
  const auto check = [this](std::size_t i, const auto& what) {
    if (fed_[i] == 1) return;
    throw Error(Errc::failed, fmt::format("the tap on {} saw {} tensors in one step instead of one",
                                          what(), fed_[i]));
  };
  const std::size_t taps = home_.values_.size();
  for (std::size_t i = 0; i < taps; ++i) {
    if (home_.values_[i].dropped) continue;
    check(i, [&] { return fmt::format("value '{}'", printable(home_.spec_.taps[i].value)); });
  }
  for (std::size_t slot = 0; slot < obstacles_.size(); ++slot) {
    if (home_.pairs_[slot].not_placed || !obstacles_[slot].empty()) continue;
    check(taps + slot, [&] { return "values " + pair_name(home_.spec_.pairs[slot]); });
  }
  const std::lock_guard lock(home_.mutex_);
  bool is_new = false;
  for (std::size_t slot = 0; slot < obstacles_.size(); ++slot) {
    if (obstacles_[slot].empty()) continue;
    const Drop drop{home_.takes_, samples_.front(), std::move(obstacles_[slot])};
    const auto [known, inserted] = home_.drops_.try_emplace(slot, drop);
    const bool is_earlier = known->second.takes == drop.takes && drop.sample < known->second.sample;
    if (is_earlier) known->second = drop;
    is_new |= inserted || is_earlier;
  }
  if (is_new) home_.list_drops();
  --home_.open_steps_;
}

void Accumulators::list_drops() {
  std::vector<std::pair<std::size_t, Drop>> drops(drops_.begin(), drops_.end());
  std::ranges::stable_sort(
      drops, {}, [](const auto& drop) { return std::pair(drop.second.takes, drop.second.sample); });
  not_tapped_ = not_placed_;
  for (const auto& [slot, drop] : drops) {
    not_tapped_.push_back(not_tapped_pair(spec_.pairs[slot], drop.reason));
  }
}

TapState Accumulators::take() {
  const std::lock_guard lock(mutex_);
  if (open_steps_ != 0) {
    throw Error(Errc::failed, "a step failed midway; what its taps gathered cannot be used");
  }
  TapState state;
  state.samples = std::exchange(samples_, {});
  for (const std::size_t i : in_order_of(spec_.taps, &Tap::value)) {
    ValueSlot& slot = values_[i];
    slot.channels.flush(slot.stats);
    if (!slot.dropped) state.values.push_back(std::move(slot.stats));
  }
  const auto names = [](const PairTap& tap) { return std::tie(tap.reference, tap.quantized); };
  for (const std::size_t i : in_order_of(spec_.pairs, names)) {
    PairSlot& slot = pairs_[i];
    slot.channels.flush(slot.stats);
    if (!slot.not_placed && !slot.dropped) state.pairs.push_back(std::move(slot.stats));
  }
  ++takes_;
  clear();
  return state;
}

void Accumulators::clear() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Tap& tap = spec_.taps[i];
    ValueStats& stats = values_[i].stats;
    stats = {};
    stats.value = tap.value;
    stats.channel_axis = tap.channel_axis.value_or(-1);
    stats.channel_histograms = empty_histograms<ChannelHistogram>(tap.channel_histograms);
    values_[i].channels = {};
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const PairTap& pair = spec_.pairs[i];
    PairSlot& slot = pairs_[i];
    slot.empty();
    slot.stats.reference = pair.reference;
    slot.stats.quantized = pair.quantized;
    slot.stats.channel_axis = pair.channel_axis.value_or(-1);
    slot.stats.channel_histograms =
        empty_histograms<PairedChannelHistogram>(pair.channel_histograms);
  }
}

void Accumulators::show_channels_last(std::size_t slot) {
  pairs_[slot].channels_last = true;
}

void Accumulators::drop_tap(std::size_t slot, const std::string& reason) {
  values_[slot].dropped = true;
  not_placed_.push_back({.value = spec_.taps[slot].value, .quantized = {}, .reason = reason});
  list_drops();
}

void Accumulators::drop_pair(std::size_t slot, const std::string& reason) {
  pairs_[slot].not_placed = true;
  not_placed_.push_back(not_tapped_pair(spec_.pairs[slot], reason));
  list_drops();
}

}  // namespace quantlens
