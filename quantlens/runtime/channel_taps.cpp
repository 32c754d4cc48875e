// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/channel_taps.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr std::size_t kSamples = 8;      // summed apart, then added at once
constexpr std::size_t kElements = 1024;  // of a channel, then counted at once
constexpr std::size_t kTile = 4096;      // errors that are computed and summed in turn

/// Appends the elements of one channel. REQUIRES: whole blocks of all channels.
template <class Element>
void append_channel(std::span<const Element> values, const AxisLayout& layout, std::size_t channel,
                    std::vector<Element>& to) {
  const std::size_t block = layout.channels * layout.inner;
  std::size_t size = to.size();
  to.resize(size + values.size() / layout.channels);
  for (std::size_t at = channel * layout.inner; at < values.size(); at += block) {
    if (layout.inner == 1) {
      to[size++] = values[at];
    } else {
      std::ranges::copy(values.subspan(at, layout.inner),
                        to.begin() + static_cast<std::ptrdiff_t>(size));
      size += layout.inner;
    }
  }
}

/// Counts what has gathered, if it is more than `most`.
template <class Histogram, class Element>
void count(std::vector<Element>& elements, std::size_t most, Histogram& histogram) {
  if (elements.size() <= most) return;
  histogram.add(std::span<const Element>(elements));
  elements.clear();
}

template <class Histogram>
void check_channels(const std::vector<Histogram>& histograms, const AxisLayout& layout) {
  if (histograms.empty() || histograms.back().channel < layout.channels) return;
  throw Error(Errc::bad_input, fmt::format("there is no channel {} in a tensor of {} channels",
                                           histograms.back().channel, layout.channels));
}

void errors_of(std::span<const float> x, std::span<const float> y, Dequantize8,
               std::span<float> out) {
  pair_errors(x, y, out);
}

template <class Code>
void errors_of(std::span<const float> x, std::span<const Code> y, Dequantize8 how,
               std::span<float> out) {
  pair_errors(x, y, how, out);
}

}  // namespace

ColumnMoments& PendingChannels::next_table(std::vector<ColumnMoments>& tables,
                                           std::size_t columns) const {
  if (tables.size() == tables_) return tables.emplace_back(columns);
  tables[tables_].clear(columns);
  return tables[tables_];
}

void PendingChannels::add(const ChannelPart<float>& x, ValueStats& stats) {
  if (x.values.empty()) return;
  check_channels(stats.channel_histograms, x.layout);
  if (x.layout.is_table()) {
    add_rows(x.values, next_table(x_tables_, x.layout.channels));
    if (++tables_ == kSamples) flush(stats);
  } else {
    stats.channels.add(x.values, x.layout);
  }
  elements_.resize(stats.channel_histograms.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    ChannelHistogram& one = stats.channel_histograms[i];
    append_channel(x.values, x.layout, one.channel, elements_[i].x);
    count(elements_[i].x, kElements, one.histogram);
  }
}

void PendingChannels::flush(ValueStats& stats) {
  stats.channels.add(std::span(x_tables_).first(std::exchange(tables_, 0)));
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    count(elements_[i].x, 0, stats.channel_histograms[i].histogram);
  }
}

/// A sample of a pair, as far as it is added.
template <class Y>
class PendingChannels::PairSample {
 public:
  PairSample(PendingChannels& to, const ChannelPart<float>& x, std::span<const Y> y,
             Dequantize8 how, std::vector<float>& errors, PairedStats& stats)
      : to_(to), x_(x), y_(y), how_(how), errors_(errors), stats_(stats) {}

  void operator()(std::size_t elements_done) {
    const bool all = elements_done == y_.size();
    if (done_ == 0) begin();
    if (!x_.layout.is_table()) {
      if (all) add_whole();
      return;
    }
    const std::size_t columns = x_.layout.channels;
    const std::size_t end = elements_done / columns * columns;
    if (end > done_) add_table(end);
    if (all && ++to_.tables_ == kSamples) to_.flush(stats_);
  }

 private:
  void begin() {
    check_channels(stats_.channel_histograms, x_.layout);
    to_.elements_.resize(stats_.channel_histograms.size());
    if (!x_.layout.is_table()) return;
    x_table_ = &to_.next_table(to_.x_tables_, x_.layout.channels);
    error_table_ = &to_.next_table(to_.error_tables_, x_.layout.channels);
  }

  std::span<const float> errors_from(std::size_t at, std::size_t count) {
    if (errors_.size() < count) errors_.resize(count);
    const std::span<float> errors(errors_.data(), count);
    errors_of(x_.values.subspan(at, count), y_.subspan(at, count), how_, errors);
    return errors;
  }

  void add_whole() {
    stats_.reference_channels.add(x_.values, x_.layout);
    stats_.error_channels.add(errors_from(0, y_.size()), x_.layout);
    count_channels(0, y_.size());
    done_ = y_.size();
  }

  void add_table(std::size_t end) {
    const std::size_t columns = x_.layout.channels;
    const std::size_t tile = std::max(kTile / columns, std::size_t{1}) * columns;
    for (std::size_t at = done_; at < end; at += tile) {
      const std::size_t count = std::min(tile, end - at);
      add_rows(x_.values.subspan(at, count), *x_table_);
      add_rows(errors_from(at, count), *error_table_);
    }
    count_channels(done_, end);
    done_ = end;
  }

  void count_channels(std::size_t begin, std::size_t end) {
    const AxisLayout& layout = x_.layout;
    const std::span<const float> x = x_.values.subspan(begin, end - begin);
    const std::span<const Y> y = y_.subspan(begin, end - begin);
    for (std::size_t i = 0; i < to_.elements_.size(); ++i) {
      PairedChannelHistogram& one = stats_.channel_histograms[i];
      Elements& elements = to_.elements_[i];
      append_channel(x, layout, one.channel, elements.x);
      count(elements.x, kElements, one.reference);
      if constexpr (std::is_same_v<Y, float>) {
        append_channel(y, layout, one.channel, elements.y);
        count(elements.y, kElements, one.quantized);
      } else if constexpr (std::is_same_v<Y, std::uint8_t>) {
        append_channel(y, layout, one.channel, elements.unsigned_codes);
        count(elements.unsigned_codes, kElements, one.codes);
      } else {
        append_channel(y, layout, one.channel, elements.signed_codes);
        count(elements.signed_codes, kElements, one.codes);
      }
    }
  }

  PendingChannels& to_;
  ChannelPart<float> x_;
  std::span<const Y> y_;
  Dequantize8 how_;
  std::vector<float>& errors_;
  PairedStats& stats_;
  ColumnMoments* x_table_ = nullptr;
  ColumnMoments* error_table_ = nullptr;
  std::size_t done_ = 0;
};

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const float> y,
                                  Dequantize8 how, std::vector<float>& errors, PairedStats& stats) {
  return PairSample<float>(*this, x, y, how, errors, stats);
}

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const std::uint8_t> y,
                                  Dequantize8 how, std::vector<float>& errors, PairedStats& stats) {
  return PairSample<std::uint8_t>(*this, x, y, how, errors, stats);
}

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const std::int8_t> y,
                                  Dequantize8 how, std::vector<float>& errors, PairedStats& stats) {
  return PairSample<std::int8_t>(*this, x, y, how, errors, stats);
}

void PendingChannels::flush(PairedStats& stats) {
  const std::size_t count_of = std::exchange(tables_, 0);
  stats.reference_channels.add(std::span(x_tables_).first(count_of));
  stats.error_channels.add(std::span(error_tables_).first(count_of));
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    PairedChannelHistogram& one = stats.channel_histograms[i];
    count(elements_[i].x, 0, one.reference);
    count(elements_[i].y, 0, one.quantized);
    count(elements_[i].unsigned_codes, 0, one.codes);
    count(elements_[i].signed_codes, 0, one.codes);
  }
}

}  // namespace quantlens
