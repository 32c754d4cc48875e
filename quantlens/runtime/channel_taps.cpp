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

/// Appends the elements of one channel.
template <class Element>
void append_channel(std::span<const Element> values, const AxisLayout& layout, std::size_t channel,
                    std::vector<Element>& to) {
  const std::size_t block = layout.channels * layout.inner;
  std::size_t size = to.size();
  to.resize(size + layout.outer * layout.inner);
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
  return tables[tables_] = ColumnMoments(columns);
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

template <class Y>
void PendingChannels::sum_pair(const ChannelPart<float>& x, std::span<const Y> y, Dequantize8 how,
                               PairedStats& stats) {
  const std::size_t columns = x.layout.channels;
  std::vector<float> errors(
      std::min(y.size(), std::max(kTile / columns, std::size_t{8}) * columns));
  if (!x.layout.is_table()) errors.resize(y.size());
  const auto errors_at = [&](std::size_t at) {
    const std::span<float> tile(errors.data(), std::min(errors.size(), y.size() - at));
    errors_of(x.values.subspan(at, tile.size()), y.subspan(at, tile.size()), how, tile);
    return tile;
  };
  if (!x.layout.is_table()) {
    stats.reference_channels.add(x.values, x.layout);
    stats.error_channels.add(errors_at(0), x.layout);
    return;
  }
  ColumnMoments& x_table = next_table(x_tables_, columns);
  ColumnMoments& error_table = next_table(error_tables_, columns);
  for (std::size_t at = 0; at < y.size(); at += errors.size()) {
    const std::span<const float> tile = errors_at(at);
    add_rows(x.values.subspan(at, tile.size()), x_table);
    add_rows(tile, error_table);
  }
  if (++tables_ == kSamples) flush(stats);
}

template <class Y>
void PendingChannels::add_pair(const ChannelPart<float>& x, std::span<const Y> y, Dequantize8 how,
                               PairedStats& stats) {
  if (y.empty()) return;
  check_channels(stats.channel_histograms, x.layout);
  sum_pair(x, y, how, stats);
  elements_.resize(stats.channel_histograms.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    PairedChannelHistogram& one = stats.channel_histograms[i];
    Elements& elements = elements_[i];
    append_channel(x.values, x.layout, one.channel, elements.x);
    count(elements.x, kElements, one.reference);
    if constexpr (std::is_same_v<Y, float>) {
      append_channel(y, x.layout, one.channel, elements.y);
      count(elements.y, kElements, one.quantized);
    } else if constexpr (std::is_same_v<Y, std::uint8_t>) {
      append_channel(y, x.layout, one.channel, elements.unsigned_codes);
      count(elements.unsigned_codes, kElements, one.codes);
    } else {
      append_channel(y, x.layout, one.channel, elements.signed_codes);
      count(elements.signed_codes, kElements, one.codes);
    }
  }
}

void PendingChannels::add(const ChannelPart<float>& x, std::span<const float> y, Dequantize8 how,
                          PairedStats& stats) {
  add_pair(x, y, how, stats);
}

void PendingChannels::add(const ChannelPart<float>& x, std::span<const std::uint8_t> y,
                          Dequantize8 how, PairedStats& stats) {
  add_pair(x, y, how, stats);
}

void PendingChannels::add(const ChannelPart<float>& x, std::span<const std::int8_t> y,
                          Dequantize8 how, PairedStats& stats) {
  add_pair(x, y, how, stats);
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
