// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/accumulators.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/channel_codes.h"
#include "quantlens/runtime/tap_checks.h"
#include "quantlens/tensor/half.h"

namespace quantlens {

/// How a value falls into the batch's samples: sample s owns, for each of `outer` rows, the `run`
/// elements from (row * samples + s) * run on.
struct Accumulators::Parts {
  std::size_t samples = 1;
  std::size_t outer = 1;
  std::size_t run = 0;
  Shape sample_shape;  ///< of one sample's part

  std::size_t size() const { return outer * run; }
  /// First element of a row of sample `s`.
  std::size_t begin(std::size_t s, std::size_t row) const { return (row * samples + s) * run; }
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

template <class T>
void convert_elements(const std::byte* from, std::size_t count, float* to, auto&& convert) {
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));  // may be unaligned
    to[i] = convert(element);
  }
}

/// `count` elements as float32; those of quantized codes are dequantized by `params`.
void convert(DType dtype, const std::byte* from, std::size_t count, const QParams* params,
             float* to) {
  const auto number = [params](auto element) {
    if (params == nullptr) return static_cast<float>(element);
    return dequantize(static_cast<std::int32_t>(element), *params);
  };
  switch (dtype) {
    case DType::float32:
      return convert_elements<float>(from, count, to, number);
    case DType::float64:
      return convert_elements<double>(from, count, to, number);
    case DType::float16:
      return convert_elements<std::uint16_t>(from, count, to, float_from_half);
    case DType::bfloat16:
      return convert_elements<std::uint16_t>(from, count, to, float_from_bfloat16);
    case DType::int4:
    case DType::int8:
      return convert_elements<std::int8_t>(from, count, to, number);
    case DType::uint4:
    case DType::uint8:
      return convert_elements<std::uint8_t>(from, count, to, number);
    case DType::int16:
      return convert_elements<std::int16_t>(from, count, to, number);
    case DType::uint16:
      return convert_elements<std::uint16_t>(from, count, to, number);
    case DType::int32:
      return convert_elements<std::int32_t>(from, count, to, number);
    case DType::uint32:
      return convert_elements<std::uint32_t>(from, count, to, number);
    case DType::int64:
      return convert_elements<std::int64_t>(from, count, to, number);
    case DType::uint64:
      return convert_elements<std::uint64_t>(from, count, to, number);
    case DType::boolean:
      return convert_elements<std::uint8_t>(
          from, count, to, [](std::uint8_t byte) { return byte != 0 ? 1.f : 0.f; });
    case DType::string:
      break;
  }
  throw Error(Errc::bad_input, "a tensor of strings has no statistics");
}

bool is_aligned_float(const TensorView& value) {
  return value.dtype == DType::float32 &&
         reinterpret_cast<std::uintptr_t>(value.data) % alignof(float) == 0;
}

/// The elements of sample `s` as float32: where they lie if they lie together, else in `buffer`.
template <class Parts>
std::span<const float> floats(const TensorView& value, const Parts& parts, std::size_t s,
                              const QParams* params, std::vector<float>& buffer) {
  if (parts.size() == 0) return {};
  if (parts.outer == 1 && params == nullptr && is_aligned_float(value)) {
    return {static_cast<const float*>(value.data) + parts.begin(s, 0), parts.size()};
  }
  if (buffer.size() < parts.size()) buffer.resize(parts.size());
  const auto* from = static_cast<const std::byte*>(value.data);
  for (std::size_t row = 0; row < parts.outer; ++row) {
    convert(value.dtype, from + parts.begin(s, row) * byte_size(value.dtype), parts.run, params,
            buffer.data() + row * parts.run);
  }
  return {buffer.data(), parts.size()};
}

/// The 8-bit codes of sample `s`, likewise.
template <class Code, class Parts>
std::span<const Code> codes(const TensorView& value, const Parts& parts, std::size_t s,
                            std::vector<std::uint8_t>& buffer) {
  if (parts.size() == 0) return {};
  const auto* from = static_cast<const Code*>(value.data);
  if (parts.outer == 1) return {from + parts.begin(s, 0), parts.size()};
  if (buffer.size() < parts.size()) buffer.resize(parts.size());
  for (std::size_t row = 0; row < parts.outer; ++row) {
    std::memcpy(buffer.data() + row * parts.run, from + parts.begin(s, row), parts.run);
  }
  return {reinterpret_cast<const Code*>(buffer.data()), parts.size()};
}

template <class Histogram>
std::vector<Histogram> empty_histograms(const std::vector<std::uint32_t>& channels) {
  std::vector<Histogram> all(channels.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].channel = channels[i];
  return all;
}

}  // namespace

TensorView view(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), tensor.bytes().data()};
}

Accumulators::Accumulators(const TapSpec& spec)
    : spec_(spec),
      fed_(spec.taps.size() + spec.pairs.size()),
      dropped_(fed_.size()),
      channels_last_(spec.pairs.size()),
      obstacles_(spec.pairs.size()),
      scratch_(std::make_unique<Scratch>()) {
  check_taps(spec_);
  clear();
}

Accumulators::~Accumulators() = default;

void Accumulators::begin(std::span<const std::uint64_t> samples) {
  if (samples.empty()) throw Error(Errc::bad_input, "a batch has no samples");
  SampleSet here;
  for (const std::uint64_t sample : samples) {
    if (here.contains(sample) || samples_.contains(sample)) {
      throw Error(
          Errc::bad_input,
          fmt::format("sample {} is in the data twice; its statistics would count double", sample));
    }
    here.insert(sample);
  }
  step_.assign(samples.begin(), samples.end());
  std::ranges::fill(fed_, 0u);
}

Accumulators::Parts Accumulators::parts_of(const TensorView& value, int sample_axis,
                                           const std::string& name) const {
  Parts parts;
  parts.samples = step_.size();
  parts.sample_shape.assign(value.shape.begin(), value.shape.end());
  const std::optional<std::int64_t> count = element_count(value.shape);
  if (!count) throw Error(Errc::bad_input, "a tensor's shape is impossible");
  if (parts.samples == 1) {
    parts.run = static_cast<std::size_t>(*count);
    return parts;
  }
  const int rank = static_cast<int>(value.shape.size());
  const int axis = sample_axis < 0 ? sample_axis + rank : sample_axis;
  const auto samples = static_cast<std::int64_t>(parts.samples);
  if (axis < 0 || axis >= rank || value.shape[static_cast<std::size_t>(axis)] % samples != 0) {
    throw Error(Errc::bad_input,
                fmt::format("value '{}' of shape {} does not divide into {} samples along axis {}; "
                            "run with batch size 1",
                            printable(name), to_string(value.shape), samples, sample_axis));
  }
  const auto at = static_cast<std::size_t>(axis);
  parts.sample_shape[at] /= samples;
  for (std::size_t i = 0; i < at; ++i) parts.outer *= static_cast<std::size_t>(value.shape[i]);
  if (*count != 0) parts.run = static_cast<std::size_t>(*count) / parts.outer / parts.samples;
  return parts;
}

void Accumulators::observe(std::size_t slot, const TensorView& value) {
  const Tap& tap = spec_.taps[slot];
  ValueStats& stats = values_[slot];
  const Parts parts = parts_of(value, tap.sample_axis, tap.value);
  std::optional<AxisLayout> layout;
  if (tap.channel_axis) layout = channel_layout(parts.sample_shape, *tap.channel_axis, tap.value);
  ++fed_[slot];
  Scratch::Lease scratch(*scratch_);
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> part = floats(value, parts, s, nullptr, scratch->x);
    if (tap.histogram) {
      stats.histogram.add(part, step_[s], stats.moments);
    } else {
      stats.moments.add(step_[s], part);
    }
    if (layout) value_channels_[slot].add({part, *layout}, stats);
  }
}

void Accumulators::compare(std::size_t slot, const TensorView& reference,
                           const TensorView& quantized) {
  const PairTap& pair = spec_.pairs[slot];
  std::uint8_t& dropped = dropped_[spec_.taps.size() + slot];
  if (dropped != 0) return;
  obstacles_[slot] = obstacle_of(pair, reference, quantized, channels_last_[slot]);
  if (!obstacles_[slot].empty()) {
    dropped = 1;
    pairs_[slot] = {};
    pair_channels_[slot] = {};
    return;
  }
  const Parts parts = parts_of(reference, pair.sample_axis, pair.reference);
  ++fed_[spec_.taps.size() + slot];
  if (pair.channel_params.empty()) {
    add_pairs(slot, reference, quantized, parts);
  } else {
    add_channel_codes(slot, reference, quantized, parts);
  }
}

void Accumulators::add_channel_codes(std::size_t slot, const TensorView& x, const TensorView& y,
                                     const Parts& parts) {
  const PairTap& pair = spec_.pairs[slot];
  PairedStats& stats = pairs_[slot];
  const auto layout_of = [&](int axis) {
    return channel_layout(parts.sample_shape, shown_axis(axis, channels_last_[slot]),
                          pair.reference);
  };
  const ChannelCodes codes{
      .params = pair.channel_params, .dtype = y.dtype, .layout = layout_of(*pair.scheme->axis)};
  std::optional<AxisLayout> layout;
  if (pair.channel_axis) layout = layout_of(*pair.channel_axis);
  Scratch::Lease scratch(*scratch_);
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> xs = floats(x, parts, s, nullptr, scratch->x);
    const std::span<const float> ys = floats(y, parts, s, nullptr, scratch->y);
    dequantize_channels(codes, std::span(scratch->y.data(), ys.size()));
    ChunkDone done;
    if (layout) done = pair_channels_[slot].follow({xs, *layout}, ys, {}, scratch->errors, stats);
    stats.pairs.add(step_[s], xs, ys, PairStats::kNoClip, done);
    stats.pairs.add_clipped(step_[s], clipped_in_channels(codes, xs));
    if (pair.histogram) stats.reference_histogram.add(xs);
    if (pair.histogram) stats.quantized_histogram.add(ys);
  }
}

void Accumulators::add_pairs(std::size_t slot, const TensorView& x, const TensorView& y,
                             const Parts& parts) {
  const PairTap& pair = spec_.pairs[slot];
  PairedStats& stats = pairs_[slot];
  ClipRange clip = PairStats::kNoClip;
  if (pair.params) {
    const Range range = unclipped(*pair.params, y.dtype);
    clip = {range.min, range.max};
  }
  const QParams params = pair.params.value_or(QParams{});
  const Dequantize8 how{params.scale, params.zero_point};
  std::optional<AxisLayout> layout;
  if (pair.channel_axis) {
    const int axis = shown_axis(*pair.channel_axis, channels_last_[slot]);
    layout = channel_layout(parts.sample_shape, axis, pair.reference);
  }
  Scratch::Lease scratch(*scratch_);
  for (std::size_t s = 0; s < parts.samples; ++s) {
    const std::span<const float> xs = floats(x, parts, s, nullptr, scratch->x);
    const auto follow = [&](auto ys) {
      if (!layout) return ChunkDone();
      return pair_channels_[slot].follow({xs, *layout}, ys, how, scratch->errors, stats);
    };
    const auto add_codes = [&](auto ys) {
      const CodeReading reading{.how = how, .clip = clip};
      if (!pair.histogram) return stats.pairs.add(step_[s], xs, ys, reading, follow(ys));
      stats.pairs.add(
          step_[s], xs, ys, reading,
          {.x = stats.reference_histogram, .y = stats.code_histogram, .done = follow(ys)});
    };
    if (y.dtype == DType::uint8) {
      add_codes(codes<std::uint8_t>(y, parts, s, scratch->codes));
    } else if (y.dtype == DType::int8) {
      add_codes(codes<std::int8_t>(y, parts, s, scratch->codes));
    } else {
      const auto ys = floats(y, parts, s, pair.params ? &params : nullptr, scratch->y);
      stats.pairs.add(step_[s], xs, ys, clip, follow(ys));
      if (pair.histogram) stats.reference_histogram.add(xs);
      if (pair.histogram) stats.quantized_histogram.add(ys);
    }
  }
}

void Accumulators::end() {
  for (std::size_t i = 0; i < fed_.size(); ++i) {
    if (dropped_[i] != 0 || fed_[i] == 1) continue;
    const std::size_t taps = spec_.taps.size();
    const std::string what = i < taps ? fmt::format("value '{}'", printable(spec_.taps[i].value))
                                      : fmt::format("values {}", pair_name(spec_.pairs[i - taps]));
    throw Error(Errc::failed, fmt::format("the tap on {} saw {} tensors in one step instead of one",
                                          what, fed_[i]));
  }
  for (std::size_t slot = 0; slot < obstacles_.size(); ++slot) {
    if (!obstacles_[slot].empty()) drop_pair(slot, std::exchange(obstacles_[slot], {}));
  }
  for (const std::uint64_t sample : step_) samples_.insert(sample);
  step_.clear();
}

TapState Accumulators::take() {
  if (!step_.empty()) {
    throw Error(Errc::failed, "a step failed midway; what its taps gathered cannot be used");
  }
  TapState state;
  state.samples = std::move(samples_);
  for (std::size_t i = 0; i < values_.size(); ++i) value_channels_[i].flush(values_[i]);
  for (std::size_t i = 0; i < pairs_.size(); ++i) pair_channels_[i].flush(pairs_[i]);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (dropped_[i] == 0) state.values.push_back(std::move(values_[i]));
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (dropped_[values_.size() + i] == 0) state.pairs.push_back(std::move(pairs_[i]));
  }
  std::ranges::sort(state.values, {}, &ValueStats::value);
  std::ranges::sort(state.pairs, [](const PairedStats& a, const PairedStats& b) {
    return std::tie(a.reference, a.quantized) < std::tie(b.reference, b.quantized);
  });
  clear();
  return state;
}

void Accumulators::clear() {
  samples_ = {};
  values_.assign(spec_.taps.size(), {});
  value_channels_.assign(values_.size(), {});
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i].value = spec_.taps[i].value;
    values_[i].channel_axis = spec_.taps[i].channel_axis.value_or(-1);
    values_[i].channel_histograms =
        empty_histograms<ChannelHistogram>(spec_.taps[i].channel_histograms);
  }
  pairs_.assign(spec_.pairs.size(), {});
  pair_channels_.assign(pairs_.size(), {});
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].reference = spec_.pairs[i].reference;
    pairs_[i].quantized = spec_.pairs[i].quantized;
    pairs_[i].channel_axis = spec_.pairs[i].channel_axis.value_or(-1);
    pairs_[i].channel_histograms =
        empty_histograms<PairedChannelHistogram>(spec_.pairs[i].channel_histograms);
  }
}

void Accumulators::show_channels_last(std::size_t slot) {
  channels_last_[slot] = true;
}

void Accumulators::drop_tap(std::size_t slot, const std::string& reason) {
  dropped_[slot] = 1;
  not_tapped_.push_back({.value = spec_.taps[slot].value, .quantized = {}, .reason = reason});
}

void Accumulators::drop_pair(std::size_t slot, const std::string& reason) {
  dropped_[spec_.taps.size() + slot] = 1;
  const PairTap& pair = spec_.pairs[slot];
  not_tapped_.push_back({.value = pair.reference, .quantized = pair.quantized, .reason = reason});
}

}  // namespace quantlens
