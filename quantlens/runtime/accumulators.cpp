// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/accumulators.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/channel_codes.h"
#include "quantlens/runtime/sample_parts.h"
#include "quantlens/runtime/tap_checks.h"
#include "quantlens/runtime/tap_parts.h"

namespace quantlens {

struct Accumulators::ValueSlot {
  bool dropped = false;  // before the first step
  ValueParts parts;
};

struct Accumulators::PairSlot {
  bool not_placed = false;  // dropped before the first step
  bool channels_last = false;
  std::atomic<bool> dropped = false;
  PairParts parts;
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

/// About what a part of a tap may grow to: sums, counters of floats (both signs, nine octaves that
/// are fine), and of channels their sums, eight tables of them, and elements that wait.
std::uint64_t bytes_of_part(std::size_t sums, int histograms, std::size_t channels,
                            std::size_t channel_histograms) {
  constexpr std::size_t kHistogram = 26 << 10, kChannel = 850, kWaiting = 10 << 10;
  return sums + static_cast<std::size_t>(histograms) * kHistogram + channels * kChannel +
         channel_histograms * kWaiting;
}

std::uint64_t bytes_of_part(const Tap& tap, const std::optional<AxisLayout>& layout) {
  return bytes_of_part(sizeof(ValueStats), tap.histogram ? 1 : 0, layout ? layout->channels : 0,
                       tap.channel_histograms.size());
}

std::uint64_t bytes_of_part(const PairTap& pair, const std::optional<AxisLayout>& layout) {
  const bool has_codes = pair.params && pair.channel_params.empty();
  const bool has_code_histogram = has_codes && (!pair.scheme || byte_size(pair.scheme->dtype) == 1);
  const int histograms = !pair.histogram ? 0 : has_code_histogram ? 1 : 2;
  return bytes_of_part(sizeof(PairedStats), histograms, layout ? layout->channels : 0,
                       pair.channel_histograms.size());
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
      scratch_(std::make_unique<Scratch>()),
      part_room_(std::make_unique<PartRoom>()) {
  check_taps(spec_);
  clear();
}

Accumulators::~Accumulators() = default;

Accumulators::Step::Step(Accumulators& home, std::span<const std::uint64_t> samples,
                         std::size_t lane)
    : home_(home),
      samples_(samples.begin(), samples.end()),
      lane_(lane),
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
  const auto lane = static_cast<std::size_t>(std::ranges::find(lanes_, false) - lanes_.begin());
  if (lane == lanes_.size()) lanes_.push_back(false);
  lanes_[lane] = true;
  return Step(*this, samples, lane);
}

void Accumulators::Step::observe(std::size_t slot, const TensorView& value) {
  const Tap& tap = home_.spec_.taps[slot];
  const SampleParts parts = parts_of(value, samples_.size(), tap.sample_axis, tap.value);
  std::optional<AxisLayout> layout;
  if (tap.channel_axis) layout = channel_layout(parts.sample_shape, *tap.channel_axis, tap.value);
  ++fed_[slot];
  Scratch::Lease scratch(*home_.scratch_);
  ValueParts::Lease part(home_.values_[slot].parts, lane_, bytes_of_part(tap, layout),
                         *home_.part_room_);
  ValueStats& stats = part.stats();
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> values = floats_of(value, parts, s, nullptr, scratch->x);
    if (tap.histogram) {
      stats.histogram.add(values, samples_[s], stats.moments);
    } else {
      stats.moments.add(samples_[s], values);
    }
    if (layout) part.channels().add({values, *layout}, part.target());
  }
}

void Accumulators::Step::compare(std::size_t slot, const TensorView& reference,
                                 const TensorView& quantized) {
  const PairTap& pair = home_.spec_.pairs[slot];
  PairSlot& to = home_.pairs_[slot];
  if (to.not_placed) return;
  obstacles_[slot] = obstacle_of(pair, reference, quantized, to.channels_last);
  if (!obstacles_[slot].empty()) {
    to.dropped = true;
    return;
  }
  const SampleParts parts = parts_of(reference, samples_.size(), pair.sample_axis, pair.reference);
  ++fed_[home_.values_.size() + slot];
  if (to.dropped) return;
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
  const auto layout_of = [&](int axis) {
    return channel_layout(parts.sample_shape, shown_axis(axis, to.channels_last), pair.reference);
  };
  const ChannelCodes codes{
      .params = pair.channel_params, .dtype = y.dtype, .layout = layout_of(*pair.scheme->axis)};
  std::optional<AxisLayout> layout;
  if (pair.channel_axis) layout = layout_of(*pair.channel_axis);
  Scratch::Lease scratch(*home_.scratch_);
  PairParts::Lease part(to.parts, lane_, bytes_of_part(pair, layout), *home_.part_room_);
  PairedStats& stats = part.stats();
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> xs = floats_of(x, parts, s, nullptr, scratch->x);
    const std::span<const float> ys = floats_of(y, parts, s, nullptr, scratch->y);
    dequantize_channels(codes, std::span(scratch->y.data(), ys.size()));
    ChunkDone done;
    if (layout)
      done = part.channels().follow({xs, *layout}, ys, {}, scratch->errors, part.target());
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
  PairParts::Lease part(to.parts, lane_, bytes_of_part(pair, layout), *home_.part_room_);
  PairedStats& stats = part.stats();
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::uint64_t sample = samples_[s];
    const std::span<const float> xs = floats_of(x, parts, s, nullptr, scratch->x);
    const auto follow = [&](auto ys) {
      if (!layout) return ChunkDone();
      return part.channels().follow({xs, *layout}, ys, how, scratch->errors, part.target());
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
  home_.lanes_[lane_] = false;
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
  if (std::ranges::find(lanes_, true) != lanes_.end()) {
    throw Error(Errc::failed, "a step failed midway; what its taps gathered cannot be used");
  }
  TapState state;
  state.samples = std::exchange(samples_, {});
  for (const std::size_t i : in_order_of(spec_.taps, &Tap::value)) {
    if (values_[i].dropped) continue;
    ValueStats& stats = state.values.emplace_back(values_[i].parts.take());
    stats.value = spec_.taps[i].value;
    stats.channel_axis = spec_.taps[i].channel_axis.value_or(-1);
  }
  const auto names = [](const PairTap& tap) { return std::tie(tap.reference, tap.quantized); };
  for (const std::size_t i : in_order_of(spec_.pairs, names)) {
    if (pairs_[i].not_placed || pairs_[i].dropped) continue;
    PairedStats& stats = state.pairs.emplace_back(pairs_[i].parts.take());
    stats.reference = spec_.pairs[i].reference;
    stats.quantized = spec_.pairs[i].quantized;
    stats.channel_axis = spec_.pairs[i].channel_axis.value_or(-1);
  }
  ++takes_;
  clear();
  return state;
}

void Accumulators::clear() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i].parts.reset(spec_.taps[i].channel_histograms);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].parts.reset(spec_.pairs[i].channel_histograms);
  }
  part_room_ = std::make_unique<PartRoom>();
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
