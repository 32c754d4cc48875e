// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/tap_state.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/stats/bytes.h"

// The bytes, all integers little-endian:
//   magic     8 bytes, kTapMagic (its last two show a transfer that changed line ends)
//   version   u32, kVersion
//   model     u32 length, 0 or 64 hexadecimal digits
//   samples   as SampleSet::append_to
//   values    u64 how many, then each, sorted by name:
//             name (u32 length, bytes), Moments, FloatHistogram, channel axis (i32, -1: none),
//             and where that is not -1: ChannelMoments, channel histograms
//   pairs     u64 how many, then each, sorted by (reference, quantized):
//             both names, PairStats, reference histogram, code histogram, quantized histogram,
//             channel axis (i32, -1: none), and where that is not -1: ChannelMoments of the
//             reference and of the error, channel histograms
// Channel histograms are a varint how many, then each, by channel: the channel (u32) and its
// histogram, or its reference, code and quantized histogram.
// Nothing follows. A struct of stats/ writes its own part (`append_to`).

namespace quantlens {
namespace {

constexpr std::string_view kTapMagic("QLTAPS\r\n", 8);
// 1 had nothing of pairs' channels, 2 no model and no extremes of samples
constexpr std::uint32_t kVersion = 3;

/// Nothing, or a SHA-256.
std::string take_model(std::string_view& in) {
  std::string model = take_name(in);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!model.empty() && (model.size() != 64 || !std::ranges::all_of(model, is_digit))) {
    refuse_bytes("what names the model is no SHA-256");
  }
  return model;
}

void append(const ChannelHistogram& one, std::string& out) {
  append_u32(out, one.channel);
  one.histogram.append_to(out);
}

void append(const PairedChannelHistogram& one, std::string& out) {
  append_u32(out, one.channel);
  one.reference.append_to(out);
  one.codes.append_to(out);
  one.quantized.append_to(out);
}

ChannelHistogram take_channel(std::string_view& in) {
  ChannelHistogram one;
  one.channel = take_u32(in);
  one.histogram = FloatHistogram::take_from(in);
  return one;
}

PairedChannelHistogram take_paired_channel(std::string_view& in) {
  PairedChannelHistogram one;
  one.channel = take_u32(in);
  one.reference = FloatHistogram::take_from(in);
  one.codes = CodeHistogram::take_from(in);
  one.quantized = FloatHistogram::take_from(in);
  return one;
}

template <class Histogram>
void append_channels(const std::vector<Histogram>& all, std::string& out) {
  append_varint(out, all.size());
  for (const Histogram& one : all) append(one, out);
}

/// Of `moments.channels()`, as many as there were; the histograms of a value that had no elements
/// may be of any channels.
template <class Histogram>
std::vector<Histogram> take_channels(std::string_view& in, const ChannelMoments& moments,
                                     Histogram (*take)(std::string_view&)) {
  constexpr std::size_t kLeastBytes = 5;
  const std::size_t count = take_count(in, kLeastBytes);
  const std::size_t channels = moments.channels().size();
  std::vector<Histogram> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(take(in));
    if (i > 0 && all[i - 1].channel >= all[i].channel) refuse_bytes("its channels are not sorted");
    if (channels != 0 && all[i].channel >= channels) {
      refuse_bytes("a channel's histogram is beyond its channels");
    }
  }
  return all;
}

int take_axis(std::string_view& in) {
  const auto axis = static_cast<std::int32_t>(take_u32(in));
  if (axis < -1) refuse_bytes("a channel axis is negative");
  return axis;
}

void append(const ValueStats& stats, std::string& out) {
  append_name(out, stats.value);
  stats.moments.append_to(out);
  stats.histogram.append_to(out);
  append_u32(out, static_cast<std::uint32_t>(stats.channel_axis));
  if (stats.channel_axis < 0) return;
  stats.channels.append_to(out);
  append_channels(stats.channel_histograms, out);
}

ValueStats take_value(std::string_view& in) {
  ValueStats stats;
  stats.value = take_name(in);
  stats.moments = Moments::take_from(in);
  stats.histogram = FloatHistogram::take_from(in);
  stats.channel_axis = take_axis(in);
  if (stats.channel_axis < 0) return stats;
  stats.channels = ChannelMoments::take_from(in);
  stats.channel_histograms = take_channels(in, stats.channels, take_channel);
  return stats;
}

void append(const PairedStats& stats, std::string& out) {
  append_name(out, stats.reference);
  append_name(out, stats.quantized);
  stats.pairs.append_to(out);
  stats.reference_histogram.append_to(out);
  stats.code_histogram.append_to(out);
  stats.quantized_histogram.append_to(out);
  append_u32(out, static_cast<std::uint32_t>(stats.channel_axis));
  if (stats.channel_axis < 0) return;
  stats.reference_channels.append_to(out);
  stats.error_channels.append_to(out);
  append_channels(stats.channel_histograms, out);
}

PairedStats take_pair_state(std::string_view& in) {
  PairedStats stats;
  stats.reference = take_name(in);
  stats.quantized = take_name(in);
  stats.pairs = PairStats::take_from(in);
  stats.reference_histogram = FloatHistogram::take_from(in);
  stats.code_histogram = CodeHistogram::take_from(in);
  stats.quantized_histogram = FloatHistogram::take_from(in);
  stats.channel_axis = take_axis(in);
  if (stats.channel_axis < 0) return stats;
  stats.reference_channels = ChannelMoments::take_from(in);
  stats.error_channels = ChannelMoments::take_from(in);
  const std::size_t of_reference = stats.reference_channels.channels().size();
  if (of_reference != 0 && of_reference != stats.error_channels.channels().size()) {
    refuse_bytes("a pair's two sides have unequal channels");
  }
  stats.channel_histograms = take_channels(in, stats.error_channels, take_paired_channel);
  return stats;
}

std::tuple<std::string_view> value_key(const ValueStats& stats) {
  return {stats.value};
}

std::tuple<std::string_view, std::string_view> value_key(const PairedStats& stats) {
  return {stats.reference, stats.quantized};
}

/// `each(stats, begin, end)`: for each, where its bytes stand.
template <class Stats, class Each>
void append_sorted(const std::vector<Stats>& all, std::string& out, Each&& each) {
  std::vector<const Stats*> sorted;
  sorted.reserve(all.size());
  for (const Stats& stats : all) sorted.push_back(&stats);
  std::ranges::sort(sorted,
                    [](const Stats* a, const Stats* b) { return value_key(*a) < value_key(*b); });
  append_u64(out, sorted.size());
  for (const Stats* stats : sorted) {
    const std::size_t begin = out.size();
    append(*stats, out);
    each(*stats, begin, out.size());
  }
}

/// `each_pair`: as `each` of append_sorted.
template <class Each>
std::string written(const TapState& state, Each&& each_pair) {
  std::string out(kTapMagic);
  append_u32(out, kVersion);
  append_name(out, state.model);
  state.samples.append_to(out);
  append_sorted(state.values, out, [](const ValueStats&, std::size_t, std::size_t) {});
  append_sorted(state.pairs, out, each_pair);
  return out;
}

/// Every entry takes some bytes, so a wrong count ends at the end of `in`; nothing is reserved for
/// it.
template <class Stats>
std::vector<Stats> take_sorted(std::string_view& in, Stats (*take)(std::string_view&)) {
  const std::uint64_t count = take_u64(in);
  std::vector<Stats> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    all.push_back(take(in));
    if (i > 0 && value_key(all[i - 1]) >= value_key(all[i]))
      refuse_bytes("its values are not sorted");
  }
  return all;
}

/// What stands before the values.
TapState take_head(std::string_view& in) {
  if (!is_tap_state(in))
    throw Error(Errc::bad_input, "these are not the statistics of a run; give a statistics.bin");
  in.remove_prefix(kTapMagic.size());
  const std::uint32_t version = take_u32(in);
  if (version > kVersion) {
    throw Error(Errc::unsupported,
                fmt::format("format version {} is newer than this program, which reads up to {}; "
                            "update quantlens",
                            version, kVersion));
  }
  if (version < kVersion) {
    throw Error(
        Errc::unsupported,
        fmt::format("format version {} was written by an older program; run it again", version));
  }
  return {.model = take_model(in), .samples = SampleSet::take_from(in), .values = {}, .pairs = {}};
}

TapState parse(std::string_view in) {
  TapState state = take_head(in);
  state.values = take_sorted(in, take_value);
  state.pairs = take_sorted(in, take_pair_state);
  if (!in.empty()) refuse_bytes("bytes follow its end");
  return state;
}

/// Whether both saw elements, but only one of them counted these.
bool counted_in_one(std::uint64_t elements_a, bool counted_a, std::uint64_t elements_b,
                    bool counted_b) {
  return elements_a > 0 && elements_b > 0 && counted_a != counted_b;
}

[[noreturn]] void refuse_merge(const std::string& what) {
  throw Error(Errc::bad_input, fmt::format("statistics cannot be merged: {}", what));
}

/// Of one value or pair, `what`, in two states: the axis, the channels counted, how many there are.
template <class Stats>
void check_same_channels(const Stats& a, const Stats& b, const ChannelMoments& channels_a,
                         const ChannelMoments& channels_b, const std::string& what) {
  const std::size_t count_a = channels_a.channels().size();
  const std::size_t count_b = channels_b.channels().size();
  if (a.channel_axis != b.channel_axis || (count_a != 0 && count_b != 0 && count_a != count_b)) {
    refuse_merge(
        fmt::format("{} has {} channels along axis {} in one, {} along axis {} in the "
                    "other",
                    what, count_a, a.channel_axis, count_b, b.channel_axis));
  }
  if (!std::ranges::equal(
          a.channel_histograms, b.channel_histograms, {},
          [](const auto& one) { return one.channel; },
          [](const auto& one) { return one.channel; })) {
    refuse_merge(fmt::format("{} has histograms of other channels in one", what));
  }
}

void check_same_tap(const ValueStats& a, const ValueStats& b) {
  if (a.value != b.value) {
    refuse_merge(
        fmt::format("one has value '{}', the other '{}'", printable(a.value), printable(b.value)));
  }
  check_same_channels(a, b, a.channels, b.channels, fmt::format("value '{}'", printable(a.value)));
  if (counted_in_one(a.moments.count(), !a.histogram.empty(), b.moments.count(),
                     !b.histogram.empty())) {
    refuse_merge(fmt::format("value '{}' has a histogram in one only", printable(a.value)));
  }
}

void check_same_tap(const PairedStats& a, const PairedStats& b) {
  if (value_key(a) != value_key(b)) {
    refuse_merge(fmt::format("one has the pair '{}', '{}', the other '{}', '{}'",
                             printable(a.reference), printable(a.quantized), printable(b.reference),
                             printable(b.quantized)));
  }
  check_same_channels(
      a, b, a.error_channels, b.error_channels,
      fmt::format("the pair '{}', '{}'", printable(a.reference), printable(a.quantized)));
  const auto elements = [](const PairedStats& s) { return s.pairs.count(); };
  if (counted_in_one(elements(a), !a.reference_histogram.empty(), elements(b),
                     !b.reference_histogram.empty()) ||
      counted_in_one(elements(a), a.code_histogram.count() > 0, elements(b),
                     b.code_histogram.count() > 0) ||
      counted_in_one(elements(a), !a.quantized_histogram.empty(), elements(b),
                     !b.quantized_histogram.empty())) {
    refuse_merge(fmt::format("the pair '{}', '{}' has a histogram in one only",
                             printable(a.reference), printable(a.quantized)));
  }
}

template <class Stats>
void check_same_taps(const std::vector<Stats>& a, const std::vector<Stats>& b) {
  if (a.size() != b.size()) {
    refuse_merge(fmt::format("one has {} values, the other {}", a.size(), b.size()));
  }
  for (std::size_t i = 0; i < a.size(); ++i) check_same_tap(a[i], b[i]);
}

}  // namespace

void add(ValueStats& stats, const ValueStats& other) {
  stats.moments.merge(other.moments);
  stats.histogram.merge(other.histogram);
  stats.channels.merge(other.channels);
  for (std::size_t i = 0; i < stats.channel_histograms.size(); ++i) {
    stats.channel_histograms[i].histogram.merge(other.channel_histograms[i].histogram);
  }
}

void add(PairedStats& stats, const PairedStats& other) {
  stats.pairs.merge(other.pairs);
  stats.reference_histogram.merge(other.reference_histogram);
  stats.code_histogram.merge(other.code_histogram);
  stats.quantized_histogram.merge(other.quantized_histogram);
  stats.reference_channels.merge(other.reference_channels);
  stats.error_channels.merge(other.error_channels);
  for (std::size_t i = 0; i < stats.channel_histograms.size(); ++i) {
    PairedChannelHistogram& one = stats.channel_histograms[i];
    const PairedChannelHistogram& from = other.channel_histograms[i];
    one.reference.merge(from.reference);
    one.codes.merge(from.codes);
    one.quantized.merge(from.quantized);
  }
}

bool is_tap_state(std::string_view bytes) {
  return bytes.starts_with(kTapMagic);
}

std::string to_bytes(const TapState& state) {
  return written(state, [](const PairedStats&, std::size_t, std::size_t) {});
}

std::string to_bytes(const TapState& state, std::vector<PairEntry>& pairs) {
  pairs.clear();
  return written(state, [&](const PairedStats& pair, std::size_t begin, std::size_t end) {
    pairs.push_back({pair.reference, pair.quantized, begin, end - begin});
  });
}

PairedStats pair_from_bytes(std::string_view bytes) {
  PairedStats pair = take_pair_state(bytes);
  if (!bytes.empty()) refuse_bytes("bytes follow a pair's end");
  return pair;
}

std::string to_bytes(const PairedStats& pair) {
  std::string out;
  append(pair, out);
  return out;
}

TapState tap_state_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return parse(bytes); });
}

SampleSet samples_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return take_head(bytes).samples; });
}

void merge(TapState& state, const TapState& other) {
  if (other == TapState{}) return;
  if (state == TapState{}) {
    state = other;
    return;
  }
  if (state.model != other.model) refuse_merge("they are of different models");
  if (const auto common = state.samples.first_common(other.samples)) {
    refuse_merge(
        fmt::format("they cover some of the same samples, the first of them is {}", *common));
  }
  check_same_taps(state.values, other.values);
  check_same_taps(state.pairs, other.pairs);
  state.samples.merge(other.samples);
  for (std::size_t i = 0; i < state.values.size(); ++i) add(state.values[i], other.values[i]);
  for (std::size_t i = 0; i < state.pairs.size(); ++i) add(state.pairs[i], other.pairs[i]);
}

}  // namespace quantlens
